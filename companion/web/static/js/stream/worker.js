// Runs once a browser, however many tabs are open: holds the one stream and hands what comes to every tab.
import { feed } from "./feed.js";

const ports = new Set();
let last = null;
let there = null;
let stream = null;

function broadcast(message) {
  for (const port of ports) port.postMessage(message);
}

function start() {
  stream = feed(
    (state) => {
      last = state;
      broadcast({ state });
    },
    (reached) => {
      there = reached;
      broadcast({ reached });
    },
  );
}

self.onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "wake") stream?.wake();
    if (data !== "bye") return;
    ports.delete(port);
    if (ports.size > 0) return;
    stream?.close();
    stream = last = there = null;
  };
  if (!stream) start();
  else {
    if (there !== null) port.postMessage({ reached: there });
    // What the stream said last may be old where it has broken down since; the page takes only what is newer.
    if (last !== null) port.postMessage({ state: last });
  }
};
