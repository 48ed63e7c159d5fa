// The requests of a player's private page, with the CSRF token of the phone.

import { abortAfter } from "../abort_after.js";
import { Refusal } from "../api.js";
import { byId } from "../dom.js";
import { gettext } from "../language.js";

/** @typedef {PostName extends infer Name ? Name extends `me/${infer Path}` ? Path : never : never} OwnPath */

// The time to send a picture, wait for others, and read it.
const ANSWERS_WITHIN_MS = 60_000;

/**
 * Posts a JSON body; rejects with a Refusal.
 * @template {OwnPath} Path
 * @param {Path} path
 * @param {PostBody<`me/${Path}`>} body
 * @returns {Promise<Posted<`me/${Path}`>>}
 */
export const postOwn = (path, body) => send(path, "application/json", JSON.stringify(body));

/**
 * Posts a picture as the body; rejects with a Refusal.
 * @template {"can-open" | "scan"} Path
 * @param {Path} path
 * @param {File} picture
 * @returns {Promise<Posted<`me/${Path}`>>}
 */
export const postPicture = (path, picture) => send(path, picture.type || "image/jpeg", picture);

/**
 * @param {string} path
 * @param {string} type of the body
 * @param {BodyInit} body
 */
async function send(path, type, body) {
  const headers = { "Content-Type": type, "X-CSRF-Token": byId("mine").dataset.csrf ?? "" };
  const response = await fetch(`/api/me/${path}`, {
    ...{ method: "POST", headers, body },
    signal: abortAfter(ANSWERS_WITHIN_MS),
  }).catch(() => {
    throw new Refusal(gettext("The app does not answer."), "unreachable");
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refusal(answer.error ?? gettext("That did not work."), answer.code, answer.details, response.status);
}
