// One stream of states from the app, as text; polls if the app has no free stream.
import { abortAfter } from "../abort_after.js";

const POLL_MS = 900;
// Without an answer after this time the network is down.
const ANSWER_MS = 1000;
// The app sends a heartbeat each half second. A browser reports a lost network only after minutes, so a stream that is
// silent for this long counts as lost, early enough to tell people within two seconds.
const SILENT_MS = 1600;
const ASK_AGAIN_MS = 200;

/**
 * @typedef {object} Feed
 * @property {() => void} wake reopens the stream, which may be dead after the tablet has slept
 * @property {() => void} close
 */

/**
 * Calls `onState` with the text of each state in a language, and `onReachable` when the connection is lost or restored.
 * @param {string} language
 * @param {(text: string) => void} onState
 * @param {(reachable: boolean) => void} onReachable
 * @returns {Feed}
 */
export function feed(language, onState, onReachable) {
  /** @type {EventSource} */
  let events;
  let closed = false;
  let looking = 0;
  /** @param {number} afterMs */
  const lookLater = (afterMs) => {
    clearTimeout(looking);
    if (!closed) looking = setTimeout(look, afterMs);
  };
  const heard = () => {
    lookLater(SILENT_MS);
    onReachable(true);
  };
  const open = () => {
    events?.close();
    lookLater(SILENT_MS);
    events = new EventSource(`/events?language=${language}`);
    events.onopen = heard;
    events.addEventListener("beat", heard);
    events.onmessage = (message) => {
      heard();
      onState(message.data);
    };
    events.onerror = () => {
      // The browser reconnects by itself, except after an answer that is not a stream: too many pages are open.
      if (events.readyState === EventSource.CLOSED) poll();
      else onReachable(false);
    };
  };
  const poll = async () => {
    let version = -1;
    while (!closed) {
      try {
        const answer = await fetch(`/api/state?language=${language}&after=${version}`, {
          signal: abortAfter(ANSWER_MS),
        });
        if (answer.status === 200) {
          const text = await answer.text();
          version = JSON.parse(text).version;
          onState(text);
        }
        onReachable(answer.status < 400);
      } catch {
        version = -1;
        onReachable(false);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const back = () => {
    if (!closed && events.readyState !== EventSource.CLOSED) open();
  };
  // Whether the app answers.
  const answers = async () => {
    try {
      await fetch("/api/access", { signal: abortAfter(ANSWER_MS), cache: "no-store" });
      return true;
    } catch {
      if (!closed) onReachable(false);
      return false;
    }
  };
  async function look() {
    if (events.readyState === EventSource.CLOSED) return;
    onReachable(false);
    // A request that was sent without a network never gets an answer, so each try is a new request.
    if (await answers()) back();
    else lookLater(ASK_AGAIN_MS);
  }
  addEventListener("online", back);
  open();
  return {
    wake: back,
    close: () => {
      closed = true;
      clearTimeout(looking);
      removeEventListener("online", back);
      events.close();
    },
  };
}
