// The game for the youngest: one points at a tile, the others search for its neighbour and get a star.
import { fill, icon, make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { tileElement } from "../tiles.js";
import { act, evening, may, nameOf } from "./store.js";

const FAULTS = {
  "other-colour": "That is another colour.",
  "not-next": "That is not the one before or after.",
  "leader-found": "The one who points does not search.",
};
let finder = null;

export const findingShows = () => [evening().finding, evening().players, finder];

export function drawFinding(panel, again) {
  const { finding, players, edition } = evening();
  const points = may("point");
  const seekers = players
    .map((player, seat) => ({ player, seat }))
    .filter(({ seat, player }) => seat !== finding.leader && !player.away);
  if (!seekers.some(({ seat }) => seat === finder)) finder = seekers[0]?.seat ?? null;
  const who =
    finding.leader === null ? "The one in charge points at a tile" : `${nameOf(finding.leader)} points at a tile`;
  const choose = (_, tile) =>
    points ? act("point", { tile: tile.text }) : act("find", { player: finder, tile: tile.text });
  fill(
    panel,
    make("p", { class: "eyebrow" }, `${finding.done.length} of ${edition.inks.length} runs lie`),
    make("h2", {}, points ? who : "Who finds a neighbour?"),
    finding.fault ? make("p", { class: "hint alarm" }, FAULTS[finding.fault] ?? finding.fault) : null,
    make(
      "div",
      { class: "finding-rows" },
      ...[...finding.done, ...(finding.run.length > 0 ? [finding.run] : [])].map((run) =>
        make("div", { class: "rack-tiles" }, ...run.map((tile) => tileElement(tile))),
      ),
    ),
    points
      ? null
      : make(
          "div",
          { class: "choose-seats" },
          ...seekers.map(({ player, seat }) =>
            make(
              "button",
              {
                type: "button",
                class: seat === finder ? "seat-card on" : "seat-card",
                "aria-pressed": String(seat === finder),
                onclick: () => {
                  finder = seat;
                  again();
                },
              },
              player.name,
              make("span", { class: "stars" }, icon("star"), String(player.stars ?? 0)),
            ),
          ),
        ),
    points || finding.next.length === 0
      ? null
      : make(
          "div",
          { class: "seen" },
          make("p", {}, `${nameOf(finder)} found:`),
          make(
            "div",
            { class: "seen-tiles" },
            ...finding.next.map((tile) =>
              make("button", { type: "button", class: "pick", onclick: () => choose(null, tile) }, tileElement(tile)),
            ),
          ),
        ),
    tilePad(edition, choose, { joker: false }),
  );
}
