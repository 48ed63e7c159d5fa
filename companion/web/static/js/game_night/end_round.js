// "Rummikub!": somebody's rack is empty, and the round ends.
import { gettext } from "../language.js";
import { choosePlayer } from "./choose_player.js";
import { endRound } from "./racks.js";
import { gameNight, isPlaying, may } from "./store.js";

// Whether a round is played that somebody can end with an empty rack.
export const mayEndRound = () => gameNight().phase === "turns" && may("rack-count") && gameNight().out === null;

// Whoever has just laid the last tile is seldom the player whose clock runs now: the app has passed the turn on.
export function askWhoIsOut() {
  const { player, players } = gameNight();
  const before = players.map((_, steps) => ((player ?? 0) + players.length - 1 - steps) % players.length);
  const last = before.find((seat) => isPlaying(players[seat]));
  choosePlayer(gettext("Rummikub! Whose rack is empty?"), endRound, {
    likelihood: (seat) => (seat === player ? 2 : seat === last ? 1 : 0),
  });
}
