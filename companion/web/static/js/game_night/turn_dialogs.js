// Dialogs about the current turn: they close when that turn is over, so that nobody answers for the next player.

import { gettext } from "../language.js";
import { toast } from "../toast.js";
import { gameNight, hasGameNight, nameOf, onChange } from "./store.js";

/** @typedef {import("../dialog.js").Dialog} Dialog */

const HELD_MS = 100;
// The second tap of a double tap comes within this time; on a button that ends the turn it would end the next turn too.
export const DOUBLE_TAP_MS = 600;
let [begun, begunMs] = ["", 0];

/** Returns a text that differs for each turn. */
export function turnKey() {
  if (!hasGameNight()) return "";
  const { id, round, phase, player } = gameNight();
  return [id, round, phase, player].join(" ");
}

/**
 * Closes a dialog, and says so, once another tablet or the clock has ended the turn in which it was opened.
 * @param {Dialog} dialog
 */
export function closeWithTurn(dialog) {
  const [key, name] = [turnKey(), nameOf(gameNight().player)];
  const check = () => {
    if (!dialog.isOpen()) return stop();
    if (turnKey() === key) return;
    // The dialog's own request may have ended the turn: then the dialog closes itself.
    if (dialog.isHeld()) return void setTimeout(check, HELD_MS);
    stop();
    dialog.close();
    toast(
      name
        ? gettext("{name}'s turn is over. Nothing was sent from here.", { name })
        : gettext("The game has moved on, and this page shows it now. Nothing was done."),
    );
  };
  const stop = onChange(check);
}

/**
 * Returns whether the turn began just now, so that a tap may be the second half of a double tap.
 * @param {() => void} redraw called once that is over
 */
export function hasJustBegun(redraw) {
  const key = turnKey();
  if (key !== begun) {
    if (begun) setTimeout(redraw, DOUBLE_TAP_MS);
    [begun, begunMs] = [key, begun ? performance.now() : -DOUBLE_TAP_MS];
  }
  return performance.now() - begunMs < DOUBLE_TAP_MS;
}
