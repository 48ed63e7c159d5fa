// The winner's moment: once a rack is empty, or a round is counted, the page says who has won, with a bell and the
// tiles of the last turn.

import { gettext } from "../language.js";
import { ring } from "./sound.js";
import { sayVerdict } from "./speech.js";
import { splashWinner } from "./splash.js";
import { gameNight, state } from "./store.js";
import { namesOf } from "./winners.js";

/** @type {string | null} the round whose winner was announced last; null before the first state */
let announced = null;
/** @type {{ seat: number | null, tiles: Tile[] }} the newest turn with tiles; its verdict ends before the round does */
let last = { seat: null, tiles: [] };

/** Announces the winner of a round once; nothing happens if the page opens after that. */
export function announceWinner() {
  const { id, out, phase, sheet, result, judged } = gameNight();
  const { verdict } = state();
  if (judged !== null && verdict?.kind === "legal") last = { seat: judged, tiles: verdict.placed };
  const winners = out !== null ? [out] : result ? (sheet.rounds.at(-1)?.winners ?? []) : [];
  // While racks are counted, the round is not on the sheet yet.
  const round = sheet.rounds.length + (phase === "racks" ? 1 : 0);
  const key = winners.length > 0 ? `${id} ${round}` : "";
  const isNew = announced !== null && key !== "" && key !== announced;
  announced = key;
  if (!isNew) return;
  const [headline, names] = [out !== null ? gettext("Rummikub!") : gettext("Round won"), namesOf(winners)];
  splashWinner(headline, names, last.seat === out ? last.tiles : []);
  ring("won");
  sayVerdict(`${names}: ${headline}`);
}
