// The first-acquaintance game: the leader points at a tile, and the others search for its neighbour to get a star.

import { fill, icon, make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { gettext } from "../language.js";
import { tileElement } from "../tiles.js";
import { act, gameNight, may, nameOf, seated } from "./store.js";
import { tilePicks } from "./tile_picks.js";

/** @type {Record<string, string>} */
const FAULTS = {
  "other-colour": gettext("That is another colour."),
  "not-next": gettext("That is not the number before or after."),
  "leader-found": gettext("The player who points does not search."),
};
/** @type {number | null} the seat of the player who has found a tile */
let finder = null;

const firstGameShows = () => [gameNight().finding, gameNight().players, finder];

/**
 * @param {HTMLElement} panel
 * @param {() => void} redraw
 */
function drawFirstGame(panel, redraw) {
  const { finding, edition } = gameNight();
  if (!finding) return;
  const points = may("point");
  const seekers = seated((player) => !player.away).filter(({ seat }) => seat !== finding.leader);
  if (!seekers.some(({ seat }) => seat === finder)) finder = seekers[0]?.seat ?? null;
  const leader = finding.leader === null ? gettext("The game leader") : nameOf(finding.leader);
  /** @param {Tile} tile */
  const choose = ({ text }) =>
    points ? act("point", { tile: text }) : act("find", { player: finder ?? 0, tile: text });
  const runs = [...finding.done, ...(finding.run.length > 0 ? [finding.run] : [])];
  fill(
    panel,
    make(
      "p",
      { class: "eyebrow" },
      gettext("{done} of {all} runs finished", { done: finding.done.length, all: edition.inks.length }),
    ),
    make("h2", {}, points ? gettext("{leader} points at a tile", { leader }) : gettext("Who finds a neighbour?")),
    finding.fault ? make("p", { class: "hint alarm" }, FAULTS[finding.fault] ?? finding.fault) : null,
    make(
      "div",
      { class: "finding-rows" },
      ...runs.map((run) => make("div", { class: "rack-tiles" }, ...run.map((tile) => tileElement(tile)))),
    ),
    points ? null : make("div", { class: "choose-seats" }, ...seekers.map((one) => seatCard(one, redraw))),
    points || finding.next.length === 0
      ? null
      : tilePicks(gettext("{name} found:", { name: nameOf(finder) }), finding.next, choose),
    tilePad(edition, choose, { joker: false }),
  );
}

/**
 * @param {{ player: Player, seat: number }} seated
 * @param {() => void} redraw
 */
function seatCard({ player, seat }, redraw) {
  const choose = () => {
    finder = seat;
    redraw();
  };
  return make(
    "button",
    {
      type: "button",
      class: seat === finder ? "seat-card on" : "seat-card",
      "aria-pressed": String(seat === finder),
      onclick: choose,
    },
    player.name,
    make("span", { class: "stars" }, icon("star"), String(player.stars ?? 0)),
  );
}

export const FIRST_GAME = { shows: firstGameShows, draw: drawFirstGame };
