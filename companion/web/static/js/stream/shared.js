// Shares one stream among all tabs of a browser: by a shared worker, or by tabs that agree on one of them.
import { feed } from "./feed.js";

const CHANNEL = "tilekeeper";
const BEAT_MS = 1000;
const SILENT_MS = 2600;

// As feed(); gives { wake }.
export function shared(hear, reach) {
  if ("SharedWorker" in window) return byWorker(hear, reach);
  if ("BroadcastChannel" in window) return byChannel(hear, reach);
  return feed(hear, reach);
}

function byWorker(hear, reach) {
  const worker = new SharedWorker(new URL("./worker.js", import.meta.url), { type: "module", name: CHANNEL });
  let instead = null;
  const take = ({ data }) => {
    if (data.reached !== undefined) reach(data.reached);
    if (data.state !== undefined) hear(data.state);
  };
  worker.port.onmessage = take;
  // Some browsers have shared workers but none made of modules.
  worker.onerror = () => (instead ??= byChannel(hear, reach));
  addEventListener("pagehide", () => worker.port.postMessage("bye"));
  // A page that comes back out of the browser's memory has said good-bye.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  return { wake: () => (instead ? instead.wake() : worker.port.postMessage("wake")) };
}

// The tab with the lowest name that is heard of leads: it has the stream, and the others listen to it.
function byChannel(hear, reach) {
  const channel = new BroadcastChannel(CHANNEL);
  const name = Math.random();
  let stream = null;
  let heardMs = performance.now();
  let last = null;
  const lead = () => {
    stream = feed(
      (state) => {
        last = state;
        hear(state);
        channel.postMessage({ name, state });
      },
      (reached) => {
        reach(reached);
        channel.postMessage({ name, reached });
      },
    );
  };
  const follow = () => {
    stream.close();
    stream = null;
  };
  channel.onmessage = ({ data }) => {
    if (data.asks) {
      if (stream && last !== null) channel.postMessage({ name, state: last, reached: true });
      return;
    }
    heardMs = performance.now();
    if (stream && data.name < name) follow();
    if (stream) return;
    if (data.reached !== undefined) reach(data.reached);
    if (data.state !== undefined) hear(data.state);
  };
  channel.postMessage({ name, asks: true });
  heardMs -= SILENT_MS - 300; // where nobody answers at once, nobody leads
  setInterval(() => {
    if (stream) channel.postMessage({ name });
    else if (performance.now() - heardMs > SILENT_MS) lead();
  }, BEAT_MS / 4);
  return { wake: () => stream?.wake() };
}
