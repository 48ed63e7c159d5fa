// A round that began without the app: one dialog asks who has opened, and how many tiles each rack and the pool have.
// It opens after the table was taken, and later from the menu.

import { switchBox, switchLine } from "../controls.js";
import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { act, gameNight, may, seated } from "./store.js";

// An opening needs at least three tiles: with three tiles per player on the table, most likely everybody has opened.
const OPENING_TILES = 3;

// Whether the app has recorded no turn in this round, so that tiles on the table were laid without the app.
export const nobodyHasPlayed = () => gameNight().players.every((player) => player.turns === 0);

export function askStanding() {
  const { edition, table, lost } = gameNight();
  const ledgerPool = gameNight().pool ?? 0;
  const seats = seated();
  if (!may("begun") || seats.length === 0) return;
  const onTable = table.flat().length;
  const box = edition.tiles - lost.length;
  const opens = edition.opening_points > 0;
  const allOpened = nobodyHasPlayed() && onTable >= OPENING_TILES * seats.length;
  const racksByLedger = seats.reduce((sum, { player }) => sum + (player.rack ?? 0), 0);
  // Tiles on the table that no count includes most likely came from the racks.
  const uncounted = Math.max(0, onTable + racksByLedger + ledgerPool - box);
  const lines = seats.map(({ player, seat }) => {
    const likely = Math.max(1, Math.round((player.rack ?? 0) - uncounted / seats.length));
    return playerLine(player, seat, likely, opens ? allOpened || player.opened : null, fillIn);
  });
  const pool = countField(gettext("Tiles in the pool"), ledgerPool);
  const sum = make("p", { class: "hint" });
  let counted = false; // whether somebody counted the pool; until then it is the rest of the box
  pool.field.addEventListener("input", () => {
    counted = true;
    fillIn();
  });
  fillIn();

  function fillIn() {
    const racks = lines.reduce((total, { rack }) => total + rack.value(), 0);
    if (!counted) pool.field.value = String(Math.max(0, box - onTable - racks));
    const more = onTable + racks + pool.value() - box;
    sum.textContent =
      more === 0
        ? gettext("{laid} of the {box} tiles are on the table. Count the racks; the rest is in the pool.", {
            box,
            laid: onTable,
          })
        : more > 0
          ? ngettext(
              "That is {count} tile more than the box has ({box}).",
              "That is {count} tiles more than the box has ({box}).",
              more,
              { box },
            )
          : ngettext("{count} of {box} tiles is missing.", "{count} of {box} tiles are missing.", -more, { box });
    sum.classList.toggle("strong", more !== 0);
  }

  const send = async () => {
    const standing = {
      opened: opens ? lines.filter(({ box }) => box?.checked).map(({ seat }) => seat) : null,
      racks: lines.map(({ seat, rack }) => ({ player: seat, tiles: rack.value() })),
      pool: pool.value(),
    };
    if (await act("begun", standing)) dialog.close();
  };
  const hint = opens
    ? gettext("Players who have opened may add to the sets on the table. The others must open first.")
    : gettext("Then the app knows how many tiles everybody has.");
  const dialog = openDialog(
    gettext("How does the game stand?"),
    [make("p", {}, hint), ...lines.map(({ element }) => element), pool.element, sum],
    {
      wide: true,
      foot: [button(gettext("Skip"), () => dialog.close()), button(gettext("Save"), send, "main")],
    },
  );
}

/**
 * @param {Player} player
 * @param {number} seat
 * @param {number} tiles the likely number of tiles on the rack
 * @param {boolean | null} opened null if the edition has no opening
 * @param {() => void} changed
 */
function playerLine({ name }, seat, tiles, opened, changed) {
  const rack = countField(gettext("Tiles on {name}'s rack", { name }), tiles);
  rack.field.addEventListener("input", changed);
  const box =
    opened === null ? null : switchBox({ checked: opened, "aria-label": gettext("{name} has opened", { name }) });
  const element = make(
    "div",
    { class: "stands-line" },
    make("b", {}, name),
    box && switchLine(box, gettext("Has opened")),
    make("label", { class: "count-field" }, make("span", {}, gettext("Tiles")), rack.field),
  );
  return { seat, rack, box, element };
}

/**
 * @param {string} label
 * @param {number} start
 */
function countField(label, start) {
  const field = make("input", {
    type: "number",
    min: 0,
    max: 199,
    inputmode: "numeric",
    class: "field",
    value: start,
    "aria-label": label,
  });
  const element = make("label", { class: "count-field stands-line" }, make("b", {}, label), field);
  return { field, element, value: () => Math.max(0, Math.round(Number(field.value)) || 0) };
}
