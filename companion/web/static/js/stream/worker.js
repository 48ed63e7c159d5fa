// The shared worker: holds the browser's one stream and sends each state to all tabs.
import { feed } from "./feed.js";

/** @type {Set<MessagePort>} */
const ports = new Set();
/** @type {string | null} */
let last = null;
/** @type {boolean | null} */
let reachable = null;
/** @type {import("./feed.js").Feed | null} */
let stream = null;

/** @param {{ state: string } | { reached: boolean }} message */
function broadcast(message) {
  for (const port of ports) port.postMessage(message);
}

function start() {
  stream = feed(
    self.name.replace("tilekeeper-", ""),
    (state) => {
      last = state;
      broadcast({ state });
    },
    (reached) => {
      if (reached === reachable) return; // each heartbeat says so
      reachable = reached;
      broadcast({ reached });
    },
  );
}

/** @param {MessageEvent} event */
function connect({ ports: [port] }) {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "wake") stream?.wake();
    if (data !== "bye") return;
    ports.delete(port);
    if (ports.size > 0) return;
    stream?.close();
    stream = null;
    last = null;
    reachable = null;
  };
  if (!stream) start();
  else {
    if (reachable !== null) port.postMessage({ reached: reachable });
    // After a lost connection this state may be old; the page ignores older states.
    if (last !== null) port.postMessage({ state: last });
  }
}

// TypeScript's library for pages lacks the scope of shared workers.
/** @type {{ onconnect: (event: MessageEvent) => void }} */ (/** @type {unknown} */ (self)).onconnect = connect;
