// Fetches the film of a game night; the app makes it only while a page keeps asking.

import { Refusal } from "../api.js";
import { gettext } from "../language.js";

const ASK_AGAIN_MS = 1000;

/**
 * @param {string} evening its id
 * @returns {Promise<Blob>} rejects with a Refusal
 */
export async function fetchFilm(evening) {
  for (;;) {
    const answer = await fetch(`/api/evenings/${encodeURIComponent(evening)}/time-lapse.gif`).catch(() => null);
    if (answer === null) throw new Refusal(gettext("The app does not answer."), "unreachable");
    if (answer.status === 200) return answer.blob();
    if (answer.status !== 204) {
      const { error, code } = await answer.json().catch(() => ({}));
      throw new Refusal(error ?? gettext("That did not work."), code);
    }
    await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
  }
}
