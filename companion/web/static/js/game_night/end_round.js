// "Rummikub!": somebody's rack is empty, and the round ends.
import { gettext } from "../language.js";
import { choosePlayer } from "./choose_player.js";
import { endRound } from "./racks.js";
import { gameNight, isPlaying, may } from "./store.js";

// Whether a player can end the round now with an empty rack.
export const mayEndRound = () => gameNight().phase === "turns" && may("rack-count") && gameNight().out === null;

// After the last tile was laid, it may already be the next player's turn, so the player before is second in the list.
export function askWhoIsOut() {
  const { player, players } = gameNight();
  const before = players.map((_, steps) => ((player ?? 0) + players.length - 1 - steps) % players.length);
  const last = before.find((seat) => isPlaying(players[seat]));
  choosePlayer(gettext("Rummikub! Whose rack is empty?"), endRound, {
    likelihood: (seat) => (seat === player ? 2 : seat === last ? 1 : 0),
  });
}
