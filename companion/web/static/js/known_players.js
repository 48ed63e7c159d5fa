// The profiles of everybody who has played, fetched once; a page shows a name without its sign until they are here.

import { get } from "./api.js";

/** @typedef {import("./badge.js").Profile} Profile */

/** @type {Map<string, Profile>} by each name */
const profiles = new Map();

/** @param {() => void} then called once the profiles are known */
export function loadPlayers(then) {
  get("players").then(
    ({ players }) => {
      for (const profile of players) for (const name of [profile.name, ...profile.others]) profiles.set(name, profile);
      then();
    },
    () => {}, // without the signs everything works
  );
}

/** @param {string} name */
export const profileOf = (name) => profiles.get(name);

/** The shown names of all players. */
export const knownNames = () => [...new Set([...profiles.values()].map(({ name }) => name))];
