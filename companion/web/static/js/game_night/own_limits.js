// The time handicaps of the game night in play, which count from now on.

import { askTimePerPlayer } from "../time_per_player.js";
import { act, gameNight } from "./store.js";

export function changeOwnLimits() {
  const { players, settings } = gameNight();
  askTimePerPlayer(
    players.map(({ name }, seat) => ({ name, limit: settings.limits_s[seat] ?? 0 })),
    (limits) => act("settings", { limits_s: limits }),
  );
}
