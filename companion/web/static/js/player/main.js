// The page of one player: totals, streaks, head to head, history, and the profile, which can be changed.

import { get, post } from "../api.js";
import { badge } from "../badge.js";
import { byId, fill, make } from "../dom.js";
import { dayElement } from "../evenings/words.js";
import { gettext, LANGUAGE, ngettext, number } from "../language.js";
import { redraw } from "../redraw.js";
import { keepShell } from "../shell.js";
import { toastRefusal } from "../toast.js";
import { profilePart } from "./profile.js";

/** @typedef {import("../../../tooling/api.js").components["schemas"]["PlayerRecordJson"]} PlayerRecord */
/** @typedef {import("../../../tooling/api.js").components["schemas"]["ProfileJson"]} Profile */
/** @typedef {(fields: (now: Profile) => Omit<PostBody<"players">, "name">) => unknown} Change */

const ASK_AGAIN_MS = 300;
const SHOWN_EVENINGS = 30;
const seconds = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const name = new URLSearchParams(location.search).get("name") ?? "";
/** @type {Promise<unknown>} the last change, for which the next one waits */
let lastChange = Promise.resolve();
/** @type {Profile} */
let profileNow;

async function show() {
  try {
    const record = await get("players/record", { name });
    draw(record);
    if (record.unread > 0) setTimeout(show, ASK_AGAIN_MS);
  } catch (error) {
    toastRefusal(error);
  }
  document.body.dataset.ready = "";
}

/** @param {PlayerRecord} record */
function draw(record) {
  const { profile, strangers, evenings, rivals } = record;
  profileNow = profile;
  document.title = `${profile.name} – Tilekeeper`;
  fill(byId("title"), badge(profile), profile.name);
  fill(
    byId("results"),
    evenings.length > 0 ? numbersPart(record) : nothingYet(),
    rivals.length > 0 ? rivalsPart(rivals) : null,
    evenings.length > 0 ? historyPart(evenings) : null,
  );
  redraw(byId("profile"), { profile, strangers }, () => fill(byId("profile"), profilePart(record, change)));
}

/**
 * Sends the changed fields alone, one change after the other, so that two quick taps both count.
 * @type {Change}
 */
function change(fields) {
  lastChange = lastChange.then(() => send(fields(profileNow)));
  return lastChange;
}

/** @param {Omit<PostBody<"players">, "name">} fields */
async function send(fields) {
  try {
    const record = await post("players", { ...fields, name: profileNow.name });
    history.replaceState(history.state, "", `?${new URLSearchParams({ name: record.profile.name })}`);
    draw(record);
  } catch (error) {
    toastRefusal(error);
    show();
  }
}

const nothingYet = () => make("section", { class: "paper" }, make("p", {}, gettext("No round is scored yet.")));

/** @param {PlayerRecord} record */
function numbersPart({ totals, streak, longest_streak: longest, longest_run: run, fastest_s: fastest }) {
  const average = totals.average_s;
  /** @param {number} count */
  const evenings = (count) => ngettext("{count} evening", "{count} evenings", count);
  /** @param {number | null} value */
  const time = (value) => (value === null ? "–" : gettext("{seconds} s", { seconds: seconds.format(value) }));
  /** @param {number} count */
  const tiles = (count) => (count > 0 ? ngettext("{count} tile", "{count} tiles", count) : "–");
  /** @type {[string, string][]} */
  const facts = [
    [gettext("Evenings won"), gettext("{won} of {all}", { won: totals.evenings_won, all: totals.evenings })],
    [gettext("Rounds won"), gettext("{won} of {all}", { won: totals.rounds_won, all: totals.rounds })],
    [gettext("Points"), totals.points.text],
    [gettext("Won in a row"), streak > 0 ? evenings(streak) : "–"],
    [gettext("Longest streak"), longest > 0 ? evenings(longest) : "–"],
    [gettext("Tiles laid"), number(totals.laid)],
    [gettext("Best turn"), tiles(totals.best)],
    [gettext("Longest run"), tiles(run)],
    [gettext("Fastest turn"), time(fastest)],
    [gettext("A turn takes"), time(average)],
  ];
  const lines = facts.map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value)));
  return make(
    "section",
    { class: "paper", "aria-labelledby": "numbers-title" },
    make("h2", { id: "numbers-title" }, gettext("In numbers")),
    make("dl", { class: "numbers" }, ...lines),
  );
}

/** @param {PlayerRecord["rivals"]} rivals */
function rivalsPart(rivals) {
  const head = [gettext("With"), gettext("Evenings"), gettext("Ahead"), gettext("Behind")];
  const rows = rivals.map(({ name: other, evenings, ahead, behind }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("a", { href: `/player?${new URLSearchParams({ name: other })}` }, other)),
      ...[evenings, ahead, behind].map((count) => make("td", {}, number(count))),
    ),
  );
  return make(
    "section",
    { class: "paper", "aria-labelledby": "rivals-title" },
    make("h2", { id: "rivals-title" }, gettext("Head to head")),
    make(
      "table",
      { class: "rivals" },
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows),
    ),
  );
}

/** @param {PlayerRecord["evenings"]} evenings */
function historyPart(evenings) {
  const cards = evenings
    .slice(0, SHOWN_EVENINGS)
    .map((evening) =>
      make(
        "li",
        {},
        make(
          "a",
          { class: "evening-card", href: `/evenings/${encodeURIComponent(evening.id)}` },
          make("b", {}, dayElement(evening)),
          make(
            "span",
            { class: "came-to" },
            make("span", { class: evening.won ? "won" : null }, placeWords(evening), " · ", evening.total.text),
          ),
          make("small", {}, evening.edition_name),
        ),
      ),
    );
  return make(
    "section",
    { class: "paper", "aria-labelledby": "history-title" },
    make("h2", { id: "history-title" }, gettext("Evenings")),
    make("ol", { class: "evenings" }, ...cards),
  );
}

/** @param {PlayerRecord["evenings"][number]} evening */
const placeWords = ({ place, players, won }) =>
  won ? gettext("won, of {players}", { players }) : gettext("place {place} of {players}", { place, players });

keepShell();
show();
