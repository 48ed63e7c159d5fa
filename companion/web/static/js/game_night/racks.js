// The end of a round: the remaining tiles of each rack are scanned or entered, until the round can be scored.

import { button, confirmDialog, openDialog } from "../dialog.js";
import { fill, icon, make } from "../dom.js";
import { askNumber } from "../entry/points_pad.js";
import { gettext, ngettext } from "../language.js";
import { onceLoaded } from "../late.js";
import { tileElement } from "../tiles.js";
import { toast } from "../toast.js";
import { overruleLast } from "./overrule.js";
import { act, gameNight, hasCamera, may, nameOf, onChange, seated } from "./store.js";

const MOST_TILES = 999;

export const racksShow = () => [gameNight().players, gameNight().out, gameNight().alarms, gameNight().may];

const loadEntry = () => import("../entry/seat_rack.js");

/** @param {HTMLElement} panel */
export function drawRacks(panel) {
  const { out, alarms, edition, round } = gameNight();
  // Some browsers open the camera only right after a tap, so the entry must be there before.
  if (!edition.stars) loadEntry().catch(() => null);
  const hint = edition.stars
    ? gettext("How many tiles are left on each rack?")
    : gettext("What is left on the other racks? Enter one after the other, in whatever way is easiest.");
  fill(
    panel,
    make("p", { class: "eyebrow" }, gettext("Round {round}", { round })),
    make("h2", {}, out === null ? gettext("The round is over") : gettext("{name}: Rummikub!", { name: nameOf(out) })),
    make("p", { class: "hint" }, hint),
    make("div", { class: "rack-cards" }, ...seated().map(({ player, seat }) => card(player, seat, seat === out))),
    alarms.length > 0 ? make("ul", { class: "alarms" }, ...alarms.map((alarm) => make("li", {}, alarm.text))) : null,
    may("overrule") ? make("div", { class: "ways" }, button(gettext("Change the last decision"), overruleLast)) : null,
  );
}

/**
 * @param {Player} player
 * @param {number} seat
 * @param {boolean} out whether the rack is empty
 */
function card(player, seat, out) {
  const { stars } = gameNight().edition;
  const head = make(
    "div",
    { class: "rack-head" },
    make("b", {}, player.name),
    player.known ? make("span", { class: "known" }, icon("tick")) : null,
    make("span", { class: "sum" }, out ? gettext("empty rack") : sumOf(player)),
  );
  const byPhone = player.handed_in
    ? make(
        "p",
        { class: "hint" },
        gettext("{name} counted it on a phone. All see it once every rack is counted.", { name: player.name }),
      )
    : null;
  const tiles = player.shown?.length
    ? make("div", { class: "rack-tiles" }, ...player.shown.map((tile) => tileElement(tile)))
    : null;
  return make(
    "div",
    { class: player.known ? "rack-card known" : "rack-card" },
    head,
    byPhone,
    tiles,
    out && player.rack === 0 ? null : stars ? countButton(player, seat) : waysToCount(player, seat),
  );
}

/**
 * @param {Player} player
 * @param {number} seat
 */
const countButton = ({ known }, seat) =>
  button(known ? gettext("Count again") : gettext("Count"), () => countRack(seat), known ? "" : "main");

/**
 * The ways to count a rack; each starts with one tap, and the next rack follows by itself.
 * @param {Player} player
 * @param {number} seat
 */
function waysToCount({ known }, seat) {
  if (known) {
    const edit = onceLoaded(loadEntry, ({ enterRack }) => enterRack(seat));
    return button(gettext("Edit"), edit);
  }
  return make(
    "div",
    { class: "count-ways" },
    hasCamera() && button(gettext("Scan"), () => countTiles(seat, "scan")),
    button(gettext("Take a picture"), () => countTiles(seat, "picture")),
    button(gettext("Tap the tiles"), () => countTiles(seat)),
    may("rack-points") && button(gettext("Just the points"), () => countPoints(seat)),
  );
}

/**
 * Returns the next uncounted rack, clockwise; undefined after the last.
 * @param {number} seat
 */
function nextUncounted(seat) {
  if (gameNight().phase !== "racks") return undefined;
  const uncounted = seated().filter(({ player }) => !player.known);
  return (uncounted.find((candidate) => candidate.seat > seat) ?? uncounted[0])?.seat;
}

/**
 * @param {number} seat
 * @param {"scan" | "picture"} [begin] the first step
 */
function countTiles(seat, begin) {
  const after = () => {
    const next = nextUncounted(seat);
    if (next !== undefined) countTiles(next);
  };
  const open = onceLoaded(loadEntry, ({ enterRack }) => closeOnceCounted(seat, enterRack(seat, { begin, after })));
  return open();
}

/** @param {number} seat */
function countPoints(seat) {
  const dialog = askNumber(gettext("What is left on {name}'s rack?", { name: nameOf(seat) }), {
    unit: gettext("points"),
    label: gettext("Save"),
    send: (points) => act("rack-points", { player: seat, points }),
    after: () => {
      const next = nextUncounted(seat);
      if (next !== undefined) countPoints(next);
    },
  });
  closeOnceCounted(seat, dialog);
}

/**
 * Closes the dialog for counting a rack once another tablet has counted it, or has undone the round's end.
 * @param {number} seat
 * @param {import("../dialog.js").Dialog} dialog
 */
function closeOnceCounted(seat, dialog) {
  const isCounted = () => gameNight().phase !== "racks" || gameNight().players[seat].known;
  const stop = onChange(() => {
    if (!dialog.isOpen()) stop();
    else if (isCounted() && !dialog.isHeld()) {
      dialog.close();
      toast(gettext("{name}'s rack is already counted on another device.", { name: nameOf(seat) }));
    }
  });
}

/** @param {Player} player */
function sumOf({ rack, rack_points: points }) {
  if (points !== null) return ngettext("{count} point", "{count} points", points);
  return rack === null ? "" : ngettext("{count} tile", "{count} tiles", rack);
}

/**
 * Asks before it ends the round, since a wrong tap would make all players count.
 * @param {number} seat
 */
export function endRound(seat) {
  const rack = gameNight().players[seat].rack ?? 0;
  const counted =
    rack > 0
      ? ngettext("By the app's count it has {count} tile.", "By the app's count it has {count} tiles.", rack)
      : "";
  confirmDialog(
    gettext("{name}'s rack is empty. End the round?", { name: nameOf(seat) }),
    [counted, gettext("Next you show and count the other racks.")].filter(Boolean).join(" "),
    gettext("End the round"),
    () => act("rack-count", { player: seat, tiles: 0 }),
  );
}

/**
 * Asks for the number of tiles on a rack, for stars or to correct the ledger.
 * @param {number} seat
 * @param {string} [label] of the button
 */
export function countRack(seat, label = gettext("Save")) {
  const player = gameNight().players[seat];
  askCount(gettext("How many tiles does {name} have?", { name: player.name }), player.rack ?? 0, label, (tiles) =>
    act("rack-count", { player: seat, tiles }),
  );
}

/**
 * Asks for a number of tiles.
 * @param {string} title
 * @param {number} start
 * @param {string} label of the button
 * @param {(tiles: number) => Promise<boolean>} send resolves to whether the action was done; then the dialog closes
 * @returns {import("../dialog.js").Dialog}
 */
export function askCount(title, start, label, send) {
  let number = start;
  const output = make("output", { class: "counted" }, String(number));
  /** @param {number} by */
  const step = (by) => () => {
    number = Math.max(0, Math.min(MOST_TILES, number + by));
    output.textContent = String(number);
  };
  const counter = make(
    "div",
    { class: "counter" },
    make("button", { type: "button", class: "button", "aria-label": gettext("One less"), onclick: step(-1) }, "−"),
    output,
    make(
      "button",
      { type: "button", class: "button", "aria-label": gettext("One more"), onclick: step(1) },
      icon("plus"),
    ),
  );
  const dialog = openDialog(title, [counter], {
    foot: [button(label, async () => (await send(number)) && dialog.close(), "main")],
  });
  return dialog;
}
