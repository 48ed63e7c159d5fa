// One stream of states from the app, as text; asks again and again where it gets no stream.
const POLL_MS = 1200;
// Where the network is gone, an answer that has not come after this will not come.
const ANSWER_MS = 1000;

/**
 * @typedef {object} Feed
 * @property {() => void} wake opens the stream anew: that of a tablet that slept is dead and does not know it yet
 * @property {() => void} close
 */

/**
 * Calls `onState` with the text of each state in a language, and `onReachable` when the app begins or ceases to answer.
 * @param {string} language
 * @param {(text: string) => void} onState
 * @param {(reachable: boolean) => void} onReachable
 * @returns {Feed}
 */
export function feed(language, onState, onReachable) {
  /** @type {EventSource} */
  let events;
  let closed = false;
  const open = () => {
    events?.close();
    events = new EventSource(`/events?language=${language}`);
    events.onopen = () => onReachable(true);
    events.onmessage = (message) => onState(message.data);
    events.onerror = () => {
      // The browser tries again by itself, except after an answer that was no stream: too many pages are open.
      if (events.readyState === EventSource.CLOSED) poll();
      else onReachable(false);
    };
  };
  const poll = async () => {
    let version = -1;
    while (!closed) {
      try {
        const answer = await fetch(`/api/state?language=${language}&after=${version}`);
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
  // A stream whose network is gone says nothing of it for minutes. The tablet itself may still reach what runs on it.
  const look = async () => {
    try {
      await fetch("/api/access", { signal: AbortSignal.timeout(ANSWER_MS), cache: "no-store" });
    } catch {
      if (!closed) onReachable(false);
    }
  };
  const back = () => {
    if (!closed && events.readyState !== EventSource.CLOSED) open();
  };
  addEventListener("offline", look);
  addEventListener("online", back);
  open();
  return {
    wake: back,
    close: () => {
      closed = true;
      removeEventListener("offline", look);
      removeEventListener("online", back);
      events.close();
    },
  };
}
