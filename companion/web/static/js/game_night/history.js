// What happened, step by step, with the picture before and after; steps can be taken back from here.
import { icon, make } from "../dom.js";
import { ask } from "../link.js";
import { count } from "../words.js";
import { confirmDialog, openDialog } from "./dialog.js";
import { act, evening, may, refuse } from "./store.js";

export async function openHistory() {
  let items;
  try {
    ({ items } = await ask("evening/history"));
  } catch (error) {
    refuse(error);
    return;
  }
  const dialog = openDialog("History", [make("ol", { class: "history" }, ...lines(items, () => dialog.close()))], {
    wide: true,
    foot: [
      make("a", { class: "button", href: "/api/evening/export.csv", download: "" }, "CSV"),
      make("a", { class: "button", href: "/api/evening/export.jsonl", download: "" }, "JSON Lines"),
    ],
  });
  dialog.body.scrollTop = dialog.body.scrollHeight;
}

function lines(items, close) {
  const standing = items.filter((item) => !item.undone && item.kind !== "undone");
  const steps = [...new Set(standing.map((item) => item.step))];
  let round = null;
  return items.flatMap((item) => {
    const head =
      item.round !== null && item.round !== round
        ? [make("li", { class: "history-round" }, `Round ${item.round}`)]
        : [];
    round = item.round ?? round;
    const back = item.undone || item.kind === "undone" ? 0 : steps.length - steps.indexOf(item.step);
    return [...head, line(item, back, close)];
  });
}

function line(item, back, close) {
  const facts = [
    timeOf(item.at),
    item.seconds !== null && `${Math.round(item.seconds)} s`,
    item.by && item.by !== "app" && `by ${item.by}`,
    item.undone && "taken back",
  ].filter(Boolean);
  const kind =
    item.reason && item.kind !== "undone" ? "overruled" : item.legal === null ? "" : item.legal ? "legal" : "illegal";
  return make(
    "li",
    { class: `history-item ${kind} ${item.undone ? "undone" : ""}` },
    make(
      "span",
      { class: "history-mark", "aria-hidden": "true" },
      item.legal === null
        ? null
        : icon(item.legal || (kind === "overruled" && item.kind === "tiles-laid") ? "tick" : "cross"),
    ),
    make(
      "div",
      { class: "history-told" },
      make("p", {}, item.text),
      item.reason ? make("p", { class: "reason" }, `“${item.reason}”`) : null,
      make("small", {}, facts.join(" · ")),
    ),
    pictures(item),
    may("undo") && back > 0 && back <= evening().undo
      ? make(
          "button",
          {
            type: "button",
            class: "tool back",
            "aria-label": `Take back from here: ${count(back, "step")}`,
            onclick: () => takeBack(back, close),
          },
          icon("back"),
        )
      : null,
  );
}

function takeBack(steps, close) {
  confirmDialog(
    "Take back?",
    `${count(steps, "step")} will be taken back, up to and with this one. They stay in the history.`,
    `Take back ${count(steps, "step")}`,
    async () => {
      if (await act("undo", { steps })) close();
    },
  );
}

function pictures(item) {
  const shots = [
    ["before", item.picture_before],
    ["after", item.picture],
  ].filter(([, address]) => address);
  if (
    shots.length === 0 ||
    !["tiles-laid", "turn-failed", "tile-drawn", "passed", "table-corrected"].includes(item.kind)
  )
    return null;
  const show = () =>
    openDialog(
      item.text,
      [
        make(
          "div",
          { class: "shots" },
          ...shots.map(([when, address]) =>
            make(
              "figure",
              {},
              make("img", { src: address, alt: `The table ${when}` }),
              make("figcaption", {}, when === "before" ? "Before" : "After"),
            ),
          ),
        ),
      ],
      { wide: true, foot: [] },
    );
  return make(
    "button",
    { type: "button", class: "thumbs", "aria-label": "Pictures before and after", onclick: show },
    ...shots.map(([, address]) => make("img", { src: address, alt: "", loading: "lazy" })),
  );
}

function timeOf(at) {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
