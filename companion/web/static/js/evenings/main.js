// The page of past game nights: the standings over all of them, and the result of each.

import { get } from "../api.js";
import { badge } from "../badge.js";
import { button } from "../dialog.js";
import { byId, fill, icon, make } from "../dom.js";
import { gettext, LANGUAGE, ngettext, number } from "../language.js";
import { keepShell } from "../shell.js";
import { toastRefusal } from "../toast.js";
import { dayElement, factsOf, stateOf } from "./words.js";

/** @typedef {import("./words.js").PastEvening} PastEvening */
/** @typedef {import("../../../tooling/api.js").components["schemas"]["StandingJson"]} Standing */

const SHOWN_AT_FIRST = 20;
const ASK_AGAIN_MS = 300;
const seconds = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
let showsAll = false;

async function show() {
  try {
    const { evenings, standings, unread } = await get("evenings/results");
    draw(evenings, standings, unread);
    if (unread > 0) setTimeout(show, ASK_AGAIN_MS);
  } catch (error) {
    toastRefusal(error);
  }
}

/**
 * @param {PastEvening[]} evenings
 * @param {Standing[]} standings
 * @param {number} unread
 */
function draw(evenings, standings, unread) {
  const redraw = () => draw(evenings, standings, unread);
  fill(
    byId("past"),
    ...(evenings.length === 0 ? [nothingYet()] : [standingsPart(standings, unread), list(evenings, redraw)]),
  );
  document.body.dataset.ready = "";
}

const nothingYet = () =>
  make(
    "section",
    { class: "paper nothing" },
    make("h2", {}, gettext("No evening is saved yet")),
    make("p", {}, gettext("After your first evening, this page shows its score sheet and who has won how often.")),
    make("a", { class: "button main large", href: "/setup" }, gettext("New game night")),
  );

/**
 * @param {Standing[]} standings
 * @param {number} unread
 */
function standingsPart(standings, unread) {
  const progress = ngettext(
    "The app is still reading {count} earlier evening.",
    "The app is still reading {count} earlier evenings.",
    unread,
  );
  return make(
    "section",
    { class: "paper", "aria-labelledby": "standings-title" },
    make("h2", { id: "standings-title" }, gettext("Standings")),
    make(
      "p",
      { class: "hint" },
      gettext("Tap a name to see all about this player, or to say that “Ann” and “Anna” are one person."),
    ),
    unread > 0 ? make("p", { class: "hint", role: "status" }, progress) : null,
    standings.length === 0
      ? make("p", {}, gettext("No round is scored yet."))
      : make("ol", { class: "standings" }, ...standings.map(standingLine)),
  );
}

/** @param {Standing} standing */
function standingLine(standing) {
  const { evenings, evenings_won: won, rounds, rounds_won: roundsWon, best, average_s: average } = standing;
  return make(
    "li",
    {},
    make(
      "a",
      { class: "who", href: `/player?${new URLSearchParams({ name: standing.name })}` },
      badge(standing),
      standing.name,
    ),
    make(
      "dl",
      {},
      fact(gettext("Evenings won"), gettext("{won} of {all}", { won, all: evenings })),
      fact(gettext("Rounds won"), gettext("{won} of {all}", { won: roundsWon, all: rounds })),
      fact(gettext("Points"), standing.points.text),
      fact(gettext("Tiles laid"), number(standing.laid)),
      fact(gettext("Best turn"), best > 0 ? ngettext("{count} tile", "{count} tiles", best) : "–"),
      fact(
        gettext("A turn takes"),
        average === null ? "–" : gettext("{seconds} s", { seconds: seconds.format(average) }),
      ),
    ),
  );
}

/**
 * @param {string} term
 * @param {string} value
 */
const fact = (term, value) => make("div", {}, make("dt", {}, term), make("dd", {}, value));

/**
 * @param {PastEvening[]} evenings
 * @param {() => void} redraw
 */
function list(evenings, redraw) {
  const shown = showsAll ? evenings : evenings.slice(0, SHOWN_AT_FIRST);
  const showAll = () => {
    showsAll = true;
    redraw();
  };
  return make(
    "section",
    { class: "paper", "aria-labelledby": "evenings-title" },
    make("h2", { id: "evenings-title" }, gettext("Evenings")),
    make("ol", { class: "evenings" }, ...shown.map(card)),
    shown.length < evenings.length
      ? button(gettext("Show all {count} evenings", { count: evenings.length }), showAll)
      : null,
  );
}

/** @param {PastEvening} evening */
function card(evening) {
  const { trouble } = evening;
  const state = stateOf(evening);
  return make(
    "li",
    {},
    make(
      "a",
      { class: "evening-card", href: `/evenings/${encodeURIComponent(evening.id)}` },
      make("b", {}, dayElement(evening)),
      make("span", { class: "came-to" }, ...scores(evening)),
      make("small", {}, factsOf(evening)),
      state ? make("small", { class: trouble ? "wrong" : "state" }, trouble ? icon("cross") : null, state) : null,
    ),
  );
}

/** @param {PastEvening} evening */
function scores({ players, totals, winners, rounds }) {
  if (rounds === 0) return [make("span", {}, players.join(", "))];
  const ranked = players.map((name, seat) => ({ name, seat, total: totals[seat] }));
  ranked.sort((one, other) => other.total.value - one.total.value);
  return ranked.map(({ name, seat, total }) =>
    make(
      "span",
      { class: winners.includes(seat) ? "won" : null },
      winners.includes(seat) ? icon("star") : null,
      `${name} ${total.text}`,
    ),
  );
}

keepShell();
show();
