// The store of the game night's page: the newest state, and when it arrived, so that clocks can run between states.

import { asRefusal, get, listen, post } from "../api.js";
import { gettext } from "../language.js";
import { toast } from "../toast.js";

/** @typedef {import("../api.js").Refusal} Refusal */

/** @type {State | null} */
let current = null;
let receivedMs = 0;
let reachable = true;
/** @type {Access["you"] | null} the app's data about this tablet */
let tablet = null;
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {Set<string>} */
const pending = new Set();
// This page's newest stop or start of the clock, which changes the revision, but not whose turn it is.
/** @type {Promise<unknown>} */
let clockChange = Promise.resolve();

export const hasState = () => current !== null;
export const hasGameNight = () => current !== null && current.evening !== null;

/**
 * Returns the newest state; throws before the first one.
 * @returns {State}
 */
export function state() {
  if (current === null) throw new Error("no state has come yet");
  return current;
}

/**
 * Returns the game night of the newest state; throws without one.
 * @returns {GameNight}
 */
export function gameNight() {
  const { evening } = state();
  if (evening === null) throw new Error("no game night is played");
  return evening;
}

export const isReachable = () => reachable;
// How many seconds ago the state arrived.
export const stateAgeS = () => (performance.now() - receivedMs) / 1000;

/**
 * Calls `listener` after each change of the store.
 * @param {() => void} listener
 * @returns {() => void} removes the listener
 */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startStore() {
  get("access").then(
    ({ you }) => {
      tablet = you;
      if (current) notify();
    },
    () => {},
  );
  listen(receive, (isReachable) => {
    if (isReachable === reachable) return;
    reachable = isReachable;
    notify();
  });
}

/** @param {State} next */
function receive(next) {
  if (current && next.boot === current.boot && next.version < current.version) return;
  const same = current && next.boot === current.boot && next.version === current.version;
  if (same && !next.evening?.clock.running) return;
  current = next;
  receivedMs = performance.now();
  notify();
}

function notify() {
  for (const listener of listeners) listener();
}

/**
 * Posts an action of the game night, and shows a refusal as a toast. It waits for a change of the clock that is under
 * way, since a dialog that closes starts the clock, and the next button may be pressed before the app has answered.
 * @template {ActionName} Name
 * @param {Name} name
 * @param {ActionBody<Name>} [body]
 * @param {(refusal: Refusal) => boolean} [onRefusal] returns true if it has handled the refusal
 * @returns {Promise<boolean>} whether it was done
 */
export function act(name, body, onRefusal = () => false) {
  const done = clockChange.then(() => sendAction(name, body, onRefusal));
  if (name === "pause" || name === "resume") clockChange = done;
  return done;
}

/**
 * @template {ActionName} Name
 * @param {Name} name
 * @param {ActionBody<Name> | undefined} body
 * @param {(refusal: Refusal) => boolean} onRefusal
 * @returns {Promise<boolean>}
 */
async function sendAction(name, body, onRefusal) {
  const revision = current?.evening?.revision ?? 0;
  const key = `${name} ${revision}`;
  if (pending.has(key)) return false; // the second tap of a double tap
  pending.add(key);
  try {
    const path = /** @type {PostName} */ (`evening/${name}`);
    const complete = /** @type {PostBody<PostName>} */ (/** @type {unknown} */ ({ revision, ...body }));
    receive(/** @type {State} */ (await post(path, complete)));
    return true;
  } catch (error) {
    if (!onRefusal(asRefusal(error))) showRefusal(error);
    return false;
  } finally {
    pending.delete(key);
  }
}

/**
 * Posts an action outside the game night that answers with the state.
 * @template {PostName} Name
 * @param {Name} name
 * @param {PostBody<Name>} [body]
 * @returns {Promise<boolean>} whether it was done
 */
export async function send(name, body) {
  try {
    receive(/** @type {State} */ (await post(name, body)));
    return true;
  } catch (error) {
    showRefusal(error);
    return false;
  }
}

/** @param {unknown} error any error except a refusal is thrown */
export function showRefusal(error) {
  const { code, message } = asRefusal(error);
  // Fetch the state that this page has missed.
  if (code === "stale") get("state").then(receive, () => {});
  toast(code === "stale" ? gettext("The game has moved on, and this page shows it now. Nothing was done.") : message);
}

// Whether this tablet may press buttons.
export const maySteer = () => {
  const steering = current?.evening?.steering ?? null;
  return steering === null || tablet === null || steering.includes(tablet.id);
};
export const isHost = () => Boolean(tablet?.host);
/**
 * Whether an action is possible now from this tablet.
 * @param {ActionName} name
 */
export const may = (name) => maySteer() && Boolean(current?.evening?.may.includes(name));
export const hasCamera = () => current !== null && current.source.kind !== "none";
/** @param {number | null} seat */
export const nameOf = (seat) => (seat === null ? "" : (gameNight().players[seat]?.name ?? ""));

// Whether the facts about racks, openings and stars are those of a round that is being played.
export const hasDealt = () => ["turns", "racks", "finding"].includes(gameNight().phase);

/**
 * Whether a player plays in this round.
 * @param {Player} player
 */
export const isPlaying = (player) => !player.away && !player.waits;

/**
 * The seats with their players, clockwise.
 * @param {(player: Player) => boolean} [which]
 */
export const seated = (which = isPlaying) =>
  gameNight()
    .players.map((player, seat) => ({ player, seat }))
    .filter(({ player }) => which(player));
