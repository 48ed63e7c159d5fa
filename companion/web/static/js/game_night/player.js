// The facts about a player, and the corrections to them.

import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { onceLoaded } from "../late.js";
import { countRack, endRound } from "./racks.js";
import { act, gameNight, hasDealt, isPlaying, may, maySteer } from "./store.js";

const loadPrivatePage = () => import("./private_page.js");

/** @param {number} seat */
export function openPlayer(seat) {
  const { players, player: turn, edition, phase, out } = gameNight();
  const player = players[seat];
  const opens = edition.opening_points > 0;
  /** @type {[string, string | number | null][]} */
  const inRound = [
    [gettext("Tiles on the rack"), (player.rack ?? 0) < 0 ? gettext("miscounted: count them") : player.rack],
    edition.stars
      ? [gettext("Stars"), player.stars]
      : [gettext("Has opened"), opens ? (player.opened ? gettext("yes") : gettext("not yet")) : null],
    [gettext("Turns"), player.turns],
    [gettext("Drawn"), player.drawn],
    [gettext("Penalty tiles"), player.penalties],
  ];
  /** @type {[string, string | number | null][]} */
  const facts = [
    ...(hasDealt() ? inRound : []),
    [gettext("At this rack"), player.people.length > 1 ? player.people.join(", ") : null],
  ];
  /** @param {() => void} then */
  const after = (then) => () => {
    dialog.close();
    then();
  };
  /** @param {() => Promise<boolean>} send */
  const closeIf = (send) => async () => (await send()) && dialog.close();
  const ways = isPlaying(player)
    ? [
        phase === "turns" &&
          out === null &&
          may("rack-count") &&
          button(
            gettext("Rummikub!"),
            after(() => endRound(seat)),
          ),
        may("rack-count") &&
          button(
            gettext("Count the rack"),
            after(() => countRack(seat, gettext("Save"))),
          ),
        may("turn") &&
          seat !== turn &&
          button(
            gettext("Make it their turn"),
            closeIf(() => act("turn", { player: seat })),
          ),
        may("opened") &&
          opens &&
          button(
            player.opened ? gettext("Has not opened") : gettext("Has opened"),
            closeIf(() => act("opened", { player: seat, opened: !player.opened })),
          ),
        maySteer() &&
          button(
            gettext("Own phone"),
            after(onceLoaded(loadPrivatePage, ({ openPrivatePage }) => openPrivatePage(seat))),
          ),
      ]
    : [];
  const lines = facts
    .filter(([, value]) => value !== null)
    .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]);
  const dialog = openDialog(player.name, [make("dl", { class: "facts-list" }, ...lines)], {
    foot: ways.filter(Boolean),
  });
}
