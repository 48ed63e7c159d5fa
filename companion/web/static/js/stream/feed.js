// One stream of states from the app, as text; asks again and again where it gets no stream.
const POLL_MS = 1200;

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
  open();
  return {
    wake: () => {
      if (events.readyState !== EventSource.CLOSED) open();
    },
    close: () => {
      closed = true;
      events.close();
    },
  };
}
