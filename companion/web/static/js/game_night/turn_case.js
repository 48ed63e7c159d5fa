// The case of the current turn, which decides the text of the card and the buttons.

import { ngettext } from "../language.js";
import { gameNight, may, nameOf, state } from "./store.js";

/**
 * - reading: Done was pressed, and there is no verdict yet
 * - exceeded: more tiles were laid than the rack had
 * - wrong: the turn is not allowed
 * - unsure: the verdict depends on questions
 * - undecided: the players decide the turn
 * - legal: the turn before was allowed
 * - begun: the round seems to have begun without the app
 * - playing: none of these
 * @typedef {"reading" | "exceeded" | "wrong" | "unsure" | "undecided" | "legal" | "begun" | "playing"} TurnCase
 */

/** @returns {TurnCase} */
export function turnCase() {
  const { verdict, turn } = state();
  const { wrong, exceeded } = gameNight();
  if (turn.waiting_to) return "reading";
  if (exceeded) return "exceeded";
  if (verdict?.kind === "unsure" && may("cancel")) return "unsure";
  if (verdict?.kind === "undecided" && wrong) return "undecided";
  if (wrong) return "wrong";
  if (verdict?.kind === "legal") return "legal";
  return tooManyForRack() ? "begun" : "playing";
}

/** A sentence if more tiles came than the player had: the round began without the app, or a count is wrong. */
export function tooManyForRack() {
  const { reading, settled } = state();
  const { players, player, table } = gameNight();
  const rack = player === null ? null : players[player].rack;
  if (!reading?.trusted || !settled || rack === null || rack < 0 || !may("table")) return "";
  const tiles = reading.tiles.filter((tile) => tile.there).length;
  return tiles - table.flat().length > rack
    ? ngettext(
        "{count} tile is on the table, but {name} had only {rack} to lay.",
        "{count} tiles are on the table, but {name} had only {rack} to lay.",
        tiles,
        { name: nameOf(player), rack },
      )
    : "";
}
