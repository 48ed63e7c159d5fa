// Shares one stream among all tabs of a browser: by a shared worker, or by a leader among the tabs.
import { feed } from "./feed.js";

// Tabs with the same language share a stream; the worker reads the language from its own name.
const LANGUAGE = document.documentElement.lang;
const CHANNEL = `tilekeeper-${LANGUAGE}`;
const BEAT_MS = 1000;
const SILENT_MS = 2600;
// Without an answer within this time there is no leader.
const ANSWER_MS = 300;

/** @typedef {{ wake: () => void }} SharedStream */

/**
 * Calls `onState` with the text of each state, and `onReachable` when the connection is lost or restored.
 * @param {(text: string) => void} onState
 * @param {(reachable: boolean) => void} onReachable
 * @returns {SharedStream}
 */
export function sharedStream(onState, onReachable) {
  if ("SharedWorker" in window) return byWorker(onState, onReachable);
  if ("BroadcastChannel" in window) return byChannel(onState, onReachable);
  return feed(LANGUAGE, onState, onReachable);
}

/** @type {typeof sharedStream} */
function byWorker(onState, onReachable) {
  const address = document.documentElement.dataset.stream ?? "";
  const worker = new SharedWorker(address, { type: "module", name: CHANNEL });
  /** @type {SharedStream | null} */
  let instead = null;
  worker.port.onmessage = ({ data }) => {
    if (data.reached !== undefined) onReachable(data.reached);
    if (data.state !== undefined) onState(data.state);
  };
  // Some browsers have shared workers, but no module workers.
  worker.onerror = () => {
    instead ??= byChannel(onState, onReachable);
  };
  addEventListener("pagehide", () => worker.port.postMessage("bye"));
  // A page from the back/forward cache has closed its port.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  return { wake: () => (instead ? instead.wake() : worker.port.postMessage("wake")) };
}

/**
 * The tab with the lowest name is the leader: it has the stream and sends the states to the other tabs.
 * @type {typeof sharedStream}
 */
function byChannel(onState, onReachable) {
  const channel = new BroadcastChannel(CHANNEL);
  const name = Math.random();
  /** @type {import("./feed.js").Feed | null} */
  let stream = null;
  let lastBeatMs = performance.now();
  /** @type {string | null} */
  let last = null;
  const lead = () => {
    stream = feed(
      LANGUAGE,
      (state) => {
        last = state;
        onState(state);
        channel.postMessage({ name, state });
      },
      (reached) => {
        onReachable(reached);
        channel.postMessage({ name, reached });
      },
    );
  };
  channel.onmessage = ({ data }) => {
    if (data.asks) {
      if (stream && last !== null) channel.postMessage({ name, state: last, reached: true });
      return;
    }
    lastBeatMs = performance.now();
    if (stream && data.name < name) {
      stream.close();
      stream = null;
    }
    if (stream) return;
    if (data.reached !== undefined) onReachable(data.reached);
    if (data.state !== undefined) onState(data.state);
  };
  channel.postMessage({ name, asks: true });
  lastBeatMs -= SILENT_MS - ANSWER_MS;
  setInterval(() => {
    if (stream) channel.postMessage({ name });
    else if (performance.now() - lastBeatMs > SILENT_MS) lead();
  }, BEAT_MS / 4);
  return { wake: () => stream?.wake() };
}
