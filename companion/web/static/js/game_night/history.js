// The history, step by step, with pictures before and after; steps can be undone here.

import { get } from "../api.js";
import { confirmDialog, openDialog } from "../dialog.js";
import { icon, make } from "../dom.js";
import { gettext, LOCALE, ngettext } from "../language.js";
import { tileRow } from "../tiles.js";
import { act, gameNight, may, showRefusal } from "./store.js";

// The events that have pictures of the table before and after them.
const WITH_PICTURES = ["tiles-laid", "turn-failed", "tile-drawn", "passed", "table-corrected"];

export async function openHistory() {
  try {
    const { items } = await get("evening/history");
    showHistory(items);
  } catch (error) {
    showRefusal(error);
  }
}

/** @param {HistoryItem[]} items */
function showHistory(items) {
  const list = make("ol", { class: "history" }, ...lines(items, () => dialog.close()));
  const dialog = openDialog(gettext("History"), [list], {
    wide: true,
    foot: [
      make(
        "a",
        { class: "button", href: "/api/evening/export.csv", download: "" },
        gettext("History for a spreadsheet"),
      ),
      make(
        "a",
        { class: "button", href: "/api/evening/export.jsonl", download: "" },
        gettext("The whole game as a file"),
      ),
    ],
  });
  dialog.body.scrollTop = dialog.body.scrollHeight;
}

/**
 * @param {HistoryItem[]} items
 * @param {() => void} close
 */
function lines(items, close) {
  const valid = items.filter((item) => !item.undone && item.kind !== "undone");
  const steps = [...new Set(valid.map((item) => item.step))];
  /** @type {number | null} */
  let round = null;
  return items.flatMap((item) => {
    const begins = item.round !== null && item.round !== round;
    round = item.round ?? round;
    const back = item.undone || item.kind === "undone" ? 0 : steps.length - steps.indexOf(item.step);
    const element = line(item, back, close);
    return begins
      ? [make("li", { class: "history-round" }, gettext("Round {round}", { round: item.round ?? 0 })), element]
      : [element];
  });
}

/**
 * @param {HistoryItem} item
 * @param {number} back how many steps must be undone to undo it
 * @param {() => void} close
 */
function line(item, back, close) {
  const facts = [
    timeOf(item.at),
    item.seconds !== null && `${Math.round(item.seconds)} s`,
    item.by && item.by !== "app" && gettext("by {name}", { name: item.by }),
    item.undone && gettext("taken back"),
  ];
  const overruled = item.reason && item.kind !== "undone";
  const verdict = item.legal === null ? "" : item.legal ? "legal" : "illegal";
  const accepted = overruled && item.kind === "tiles-laid";
  return make(
    "li",
    { class: `history-item ${overruled ? "overruled" : verdict} ${item.undone ? "undone" : ""}` },
    make(
      "span",
      { class: "history-mark", "aria-hidden": "true" },
      item.legal === null && !accepted ? null : icon(item.legal || accepted ? "tick" : "cross"),
    ),
    make(
      "div",
      { class: "history-text" },
      make("p", {}, item.text),
      item.tiles.length > 0 ? tileRow(item.tiles) : null,
      item.reason ? make("p", { class: "reason" }, `“${item.reason}”`) : null,
      make("small", {}, facts.filter(Boolean).join(" · ")),
    ),
    pictures(item),
    may("undo") && back > 0 && back <= gameNight().undo ? backButton(back, close) : null,
  );
}

/**
 * @param {number} steps
 * @param {() => void} close
 */
function backButton(steps, close) {
  const takeBack = () =>
    confirmDialog(
      gettext("Take back?"),
      ngettext(
        "This takes back only this step. It stays in the history.",
        "This takes back {count} steps, back to this one. They stay in the history.",
        steps,
      ),
      ngettext("Take back {count} step", "Take back {count} steps", steps),
      async () => {
        if (await act("undo", { steps })) close();
      },
    );
  const label = ngettext("Take back from here: {count} step", "Take back from here: {count} steps", steps);
  return make("button", { type: "button", class: "tool back", "aria-label": label, onclick: takeBack }, icon("back"));
}

/** @param {HistoryItem} item */
function pictures({ text, kind, picture, picture_before: before }) {
  const shots = [
    { title: gettext("Before"), alt: gettext("The table before"), address: before },
    { title: gettext("After"), alt: gettext("The table after"), address: picture },
  ].filter(({ address }) => address);
  if (shots.length === 0 || !WITH_PICTURES.includes(kind)) return null;
  const figures = () =>
    shots.map(({ title, alt, address }) =>
      make("figure", {}, make("img", { src: address, alt }), make("figcaption", {}, title)),
    );
  const show = () => openDialog(text, [make("div", { class: "shots" }, ...figures())], { wide: true });
  return make(
    "button",
    { type: "button", class: "thumbs", "aria-label": gettext("Pictures before and after"), onclick: show },
    ...shots.map(({ address }) => make("img", { src: address, alt: "", loading: "lazy" })),
  );
}

/** @param {string} at */
function timeOf(at) {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit" });
}
