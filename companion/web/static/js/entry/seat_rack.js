// The entry of a seat's rack on the game night's page: at the end of a round, or the first tiles for a redeal.

import { act, gameNight, hasCamera, nameOf, showRefusal } from "../game_night/store.js";
import { gettext } from "../language.js";
import { draftOf } from "./draft.js";
import { openRack } from "./rack_entry.js";
import { scanPhoto, scanTable } from "./rack_scan.js";

/**
 * Opens the entry for a seat.
 * @param {number} seat
 * @param {object} [options]
 * @param {string} [options.title]
 * @param {string} [options.label] of the button that sends the tiles
 * @param {(tiles: string) => Promise<boolean>} [options.send] sends the tiles; by default for the end of a round
 * @param {"scan" | "picture" | null} [options.begin] the first step; a picture only directly after a tap
 * @param {() => void} [options.after] called after success, if the dialog was still open
 */
export function enterRack(
  seat,
  { title = gettext("{name}'s rack", { name: nameOf(seat) }), label = gettext("Save"), send, begin, after } = {},
) {
  const { id, round, edition, players } = gameNight();
  const { shown: known, rack } = players[seat];
  const player = send ? null : seat;
  return openRack(
    {
      ...{ title, label, edition, known, nameOf },
      name: nameOf(seat),
      expected: send || known || rack === null || rack < 0 ? null : rack,
      // The first tiles of a round are secret, so no draft of them is stored.
      draft: send || known ? null : draftOf(`rack-${seat}`, `${id} ${round}`),
      scanTable: hasCamera() ? () => scanTable(player) : null,
      scanPhoto: (picture) => scanPhoto(picture, player),
      send: (tiles, sure, onRefusal) => (send ? send(tiles) : act("rack", { player: seat, tiles, sure }, onRefusal)),
      onStale: showRefusal,
    },
    { begin, after },
  );
}
