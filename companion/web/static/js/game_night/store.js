// What the pages of an evening know: the newest state, and when it came, so that clocks can be counted on.
import { ask, listen, press, Refused } from "../link.js";
import { toast } from "../toast.js";

let current = null;
let cameMs = 0;
let reachable = true;
let me = null; // this tablet, as the app knows it
const hearers = new Set();
const pending = new Set();

export const state = () => current;
export const evening = () => current?.evening ?? null;
export const isReachable = () => reachable;
// How many seconds ago the state came.
export const ageS = () => (performance.now() - cameMs) / 1000;

// Calls hear() after each change of what is known.
export function watch(hear) {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

export function start() {
  ask("access").then(
    ({ you }) => {
      me = you;
      if (current) tell();
    },
    () => {},
  );
  listen(take, (there) => {
    if (there === reachable) return;
    reachable = there;
    tell();
  });
}

function take(next) {
  if (current && next.boot === current.boot && next.version < current.version) return;
  const same = current && next.boot === current.boot && next.version === current.version;
  if (same && !next.evening?.clock.running) return;
  current = next;
  cameMs = performance.now();
  tell();
}

function tell() {
  for (const hear of hearers) hear();
}

// Presses a button of the evening; gives true once it is done. A refusal is shown as a line, and nothing is lost;
// otherwise(error) may deal with it instead and gives true then.
export async function act(what, body = {}, otherwise = () => false) {
  const key = `${what} ${evening()?.revision}`;
  if (pending.has(key)) return false; // the second tap of a double tap
  pending.add(key);
  try {
    take(await press(`evening/${what}`, { revision: evening()?.revision ?? 0, ...body }));
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (!otherwise(error)) refuse(error);
    return false;
  } finally {
    pending.delete(key);
  }
}

// Presses a button that is not of the evening itself.
export async function tap(what, body = {}) {
  try {
    take(await press(what, body));
    return true;
  } catch (error) {
    refuse(error);
    return false;
  }
}

export function refuse(error) {
  if (!(error instanceof Refused)) throw error;
  // A page that missed something asks for it; what it is told later is newer still.
  if (error.code === "stale") ask("state").then(take, () => {});
  toast(error.code === "stale" ? "The game has moved on: this page shows it now. Nothing was done." : error.message);
}

// Whether this tablet may press buttons: all may, or the host's and those that it names.
export const maySteer = () => {
  const steering = evening()?.steering ?? null;
  return steering === null || me === null || steering.includes(me.id);
};
export const isHost = () => Boolean(me?.host);
export const may = (what) => maySteer() && Boolean(evening()?.may.includes(what));
export const hasCamera = () => Boolean(current && current.source.kind !== "none");
export const nameOf = (seat) => evening()?.players[seat]?.name ?? "";
