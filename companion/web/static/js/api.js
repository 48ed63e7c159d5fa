// The client of the app's API: receives each new state, fetches other data, and posts actions.
import { abortAfter } from "./abort_after.js";
import { gettext } from "./language.js";
import { sharedStream } from "./stream/shared.js";

// Without a network a browser waits for minutes; reading a picture or opening a camera takes some seconds.
const ANSWERS_WITHIN_MS = 30_000;

// A refusal by the app: one line to show, a code for scripts, and details.
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string} [code] see `ErrorJson` in the API
   * @param {Record<string, unknown>} [details]
   * @param {number} [status] the HTTP status; 0 without an answer
   */
  constructor(message, code = "", details = {}, status = 0) {
    super(message);
    this.code = code;
    this.details = details;
    this.status = status;
  }
}

/**
 * Returns a refusal of the app; throws any other error, which is a bug of the page.
 * @param {unknown} error
 * @returns {Refusal}
 */
export function asRefusal(error) {
  if (error instanceof Refusal) return error;
  throw error;
}

/**
 * Calls `onState` with each new state, and `onReachable` when the connection is lost or restored.
 * @param {(state: State) => void} onState
 * @param {(reachable: boolean) => void} onReachable
 */
export function listen(onState, onReachable) {
  const stream = sharedStream((text) => onState(JSON.parse(text)), onReachable);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && stream.wake());
}

/**
 * Posts an action; rejects with a Refusal.
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
 * The header with the CSRF token of a tablet; the computer that runs the app needs none.
 * @returns {Record<string, string>}
 */
export function csrfHeader() {
  // The port is a part of the name, since browsers share cookies between the ports of a host.
  const port = location.port || (location.protocol === "https:" ? "443" : "80");
  const cookie = document.cookie.split("; ").find((pair) => pair.startsWith(`tilekeeper-csrf-${port}=`));
  return cookie ? { "X-CSRF-Token": cookie.slice(cookie.indexOf("=") + 1) } : {};
}

/**
 * Posts a form with a picture.
 * @param {"scan" | `scan?${string}`} name
 * @param {FormData} form
 * @returns {Promise<Scan>}
 */
export const upload = (name, form) => request(`/api/${name}`, { method: "POST", headers: csrfHeader(), body: form });

/**
 * Fetches a picture of a source; returns an object URL, which the caller must revoke.
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
 * Fetches data of the API.
 * @template {GetName} Name
 * @param {Name} name
 * @param {Record<string, string>} [query] the query parameters
 * @returns {Promise<Fetched<Name>>}
 */
export const get = (name, query = {}) => request(`/api/${name}${search(query)}`);

/** @param {Record<string, string>} query */
const search = (query) => (Object.keys(query).length ? `?${new URLSearchParams(query)}` : "");

/**
 * Fetches data at an address with a value in it, such as `evenings/{evening}/sheet`.
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
