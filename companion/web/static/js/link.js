// The line to the app: hears of each new state, asks for what it shows besides, and sends what was pressed.
import { shared } from "./stream/shared.js";

// Why the app refused something: a line for people, a code for the page, and details.
export class Refused extends Error {
  constructor(message, code = "", details = {}, status = 0) {
    super(message);
    Object.assign(this, { code, details, status });
  }
}

// Calls hear(state) with each new state, and reach(true | false) when the app is or is not there.
export function listen(hear, reach) {
  const line = shared((text) => hear(JSON.parse(text)), reach);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && line.wake());
}

// Sends what was pressed; gives the answer, or throws Refused.
export const press = (what, body = {}) =>
  said(`/api/${what}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// Sends a form with a picture.
export const send = (what, form) => said(`/api/${what}`, { method: "POST", body: form });

// Fetches something that is no state.
export const ask = (what) => said(`/api/${what}`);

async function said(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Refused("The app does not answer.", "unreachable");
  }
  const told = await answer.json().catch(() => ({}));
  if (answer.ok) return told;
  if (told.code === "join-first") location.assign("/join");
  throw new Refused(told.error ?? "That did not work.", told.code, told.details, answer.status);
}
