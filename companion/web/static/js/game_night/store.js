// What the pages of a game night know: the newest state, and when it came, so that clocks can be counted on.

import { asRefusal, get, listen, post } from "../api.js";
import { gettext } from "../language.js";
import { toast } from "../toast.js";

/** @typedef {import("../api.js").Refusal} Refusal */

/** @type {State | null} */
let current = null;
let receivedMs = 0;
let reachable = true;
/** @type {Access["you"] | null} this tablet, as the app knows it */
let tablet = null;
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {Set<string>} */
const pending = new Set();

export const hasState = () => current !== null;
export const hasGameNight = () => current !== null && current.evening !== null;

/**
 * The newest state; throws before the first one.
 * @returns {State}
 */
export function state() {
  if (current === null) throw new Error("no state has come yet");
  return current;
}

/**
 * The game night of the newest state; throws where none is played.
 * @returns {GameNight}
 */
export function gameNight() {
  const { evening } = state();
  if (evening === null) throw new Error("no game night is played");
  return evening;
}

export const isReachable = () => reachable;
// How many seconds ago the state came.
export const stateAgeS = () => (performance.now() - receivedMs) / 1000;

/**
 * Calls `listener` after each change of what is known.
 * @param {() => void} listener
 * @returns {() => void} ends that
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
 * Posts an action of the game night. A refusal is shown as a line, and nothing is lost.
 * @template {ActionName} Name
 * @param {Name} name
 * @param {ActionBody<Name>} [body]
 * @param {(refusal: Refusal) => boolean} [onRefusal] gives true where it has dealt with the refusal itself
 * @returns {Promise<boolean>} whether it was done
 */
export async function act(name, body, onRefusal = () => false) {
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
 * Posts an action that is not of the game night itself and answers with the state.
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

/** @param {unknown} error throws what is no refusal */
export function showRefusal(error) {
  const { code, message } = asRefusal(error);
  // A page that missed something asks for it; what comes later is newer still.
  if (code === "stale") get("state").then(receive, () => {});
  toast(code === "stale" ? gettext("The game has moved on, and this page shows it now. Nothing was done.") : message);
}

// Whether this tablet may press buttons: all may, or the host's and those that it names.
export const maySteer = () => {
  const steering = current?.evening?.steering ?? null;
  return steering === null || tablet === null || steering.includes(tablet.id);
};
export const isHost = () => Boolean(tablet?.host);
/**
 * Whether an action is possible now, and from this tablet.
 * @param {ActionName} name
 */
export const may = (name) => maySteer() && Boolean(current?.evening?.may.includes(name));
export const hasCamera = () => current !== null && current.source.kind !== "none";
/** @param {number | null} seat */
export const nameOf = (seat) => (seat === null ? "" : (gameNight().players[seat]?.name ?? ""));

/**
 * Whether somebody plays in this round.
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
