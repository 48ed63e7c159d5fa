// Talks to the app: receives each new state, fetches what the state does not hold, and posts what was pressed.
import { abortAfter } from "./abort_after.js";
import { gettext } from "./language.js";
import { sharedStream } from "./stream/shared.js";

// A network that is gone says nothing, and a browser waits for minutes; pictures and cameras take some seconds.
const ANSWERS_WITHIN_MS = 30_000;

// Why the app refused something: a line for people, a code for the page, and details.
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string} [code] see `ErrorJson` in the API
   * @param {Record<string, unknown>} [details]
   * @param {number} [status] of HTTP; 0 where no answer came
   */
  constructor(message, code = "", details = {}, status = 0) {
    super(message);
    this.code = code;
    this.details = details;
    this.status = status;
  }
}

/**
 * Gives an error back where the app refused; throws any other, which is a mistake of the page.
 * @param {unknown} error
 * @returns {Refusal}
 */
export function asRefusal(error) {
  if (error instanceof Refusal) return error;
  throw error;
}

/**
 * Calls `onState` with each new state, and `onReachable` when the app begins or ceases to answer.
 * @param {(state: State) => void} onState
 * @param {(reachable: boolean) => void} onReachable
 */
export function listen(onState, onReachable) {
  const stream = sharedStream((text) => onState(JSON.parse(text)), onReachable);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && stream.wake());
}

/**
 * Posts what was pressed; rejects with a Refusal.
 * @template {PostName} Name
 * @param {Name} name
 * @param {PostBody<Name>} [body]
 * @returns {Promise<Posted<Name>>}
 */
export const post = (name, body) =>
  request(`/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...csrfHeader() },
    body: JSON.stringify(body ?? {}),
  });

/**
 * The word that a tablet sends with every POST; the machine at which the app runs has none and needs none.
 * @returns {Record<string, string>}
 */
export function csrfHeader() {
  const cookie = document.cookie.split("; ").find((one) => one.startsWith("tilekeeper-csrf="));
  return cookie ? { "X-CSRF-Token": cookie.slice(cookie.indexOf("=") + 1) } : {};
}

/**
 * Posts a form with a picture.
 * @param {"scan"} name
 * @param {FormData} form
 * @returns {Promise<Scan>}
 */
export const upload = (name, form) => request(`/api/${name}`, { method: "POST", headers: csrfHeader(), body: form });

/**
 * A picture of a source, as an address for an image; whoever takes it revokes it when the next one is there.
 * @param {string} source
 * @returns {Promise<string>}
 */
export async function fetchPreview(source) {
  const response = await send("/api/sources/preview", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...csrfHeader() },
    body: JSON.stringify({ source }),
  });
  if (!response.ok) throw new Refusal(gettext("There is no picture of it."));
  return URL.createObjectURL(await response.blob());
}

/**
 * Fetches something.
 * @template {GetName} Name
 * @param {Name} name
 * @param {Record<string, string>} [query] what stands behind the question mark
 * @returns {Promise<Fetched<Name>>}
 */
export const get = (name, query = {}) => request(`/api/${name}${search(query)}`);

/** @param {Record<string, string>} query */
const search = (query) => (Object.keys(query).length ? `?${new URLSearchParams(query)}` : "");

/**
 * Fetches something at an address that has a value in it, such as `evenings/{evening}/sheet`.
 * @template {GetName} Name
 * @param {Name} name
 * @param {string} value
 * @returns {Promise<Fetched<Name>>}
 */
export const getOf = (name, value) => request(`/api/${name.replace(/\{\w+\}/, encodeURIComponent(value))}`);

/**
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function request(address, options) {
  const response = await send(address, options);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (answer.code === "join-first") location.assign("/join");
  throw new Refusal(answer.error ?? gettext("That did not work."), answer.code, answer.details, response.status);
}

/**
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function send(address, options) {
  try {
    return await fetch(address, { signal: abortAfter(ANSWERS_WITHIN_MS), ...options });
  } catch {
    throw new Refusal(gettext("The app does not answer."), "unreachable");
  }
}
