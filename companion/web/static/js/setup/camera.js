// Which camera is watched, with a picture of each that comes anew every few seconds.
import { at, fill, make } from "../dom.js";
import { ask, press, Refused } from "../link.js";
import { toast } from "../toast.js";
import { drawArea } from "./area.js";
import { drawDevice } from "./device.js";

const AGAIN_MS = 2500;
let timer = 0;

export async function showCameras() {
  clearTimeout(timer);
  let sources;
  try {
    sources = await ask("sources");
  } catch (error) {
    return said(error);
  }
  const cards = sources.cameras.map((camera) => card(camera.source, camera.name, sources, true));
  if (
    !sources.cameras.some((camera) => camera.source === sources.watched) &&
    !["demo", "none"].includes(sources.watched)
  )
    cards.unshift(card(sources.watched, nameOf(sources), sources, true));
  if (sources.demo) cards.push(card("demo", "Recorded table", sources, true));
  cards.push(card("none", "No camera: everything by hand", sources, false));
  fill(at("cameras"), ...cards);
  at("watched").textContent = nameOf(sources);
  drawArea(sources);
  device(sources);
  refresh(sources);
}

const device = (sources) =>
  drawDevice(
    at("device"),
    sources,
    device,
    async () => at("step-two").hidden || device(await ask("sources").catch(() => sources)),
  );

export async function nameWatched() {
  const sources = await ask("sources").catch(() => null);
  if (sources) at("watched").textContent = nameOf(sources);
}

function nameOf({ cameras, watched }) {
  if (watched === "none") return "No camera";
  if (watched === "demo") return "Recorded table";
  return (
    cameras.find((camera) => camera.source === watched)?.name ??
    (watched.includes("://") ? watched : watched.split(/[\\/]/).filter(Boolean).at(-1))
  );
}

export function leaveCameras() {
  clearTimeout(timer);
}

function card(source, name, sources, seen) {
  const on = source === sources.watched;
  const image =
    seen && sources.whole
      ? make("img", { alt: "", "data-source": source, src: address(source) })
      : make("span", { class: "no-preview" }, seen ? "No preview while a round is played" : "");
  image.addEventListener?.("error", () => image.classList.add("broken"));
  return make(
    "button",
    {
      type: "button",
      class: on ? "camera-card on" : "camera-card",
      "aria-pressed": String(on),
      onclick: () => watch(source),
    },
    make("span", { class: "preview" }, image),
    make("b", {}, name),
  );
}

const address = (source) => `/api/sources/preview.jpg?source=${encodeURIComponent(source)}&t=${Date.now()}`;

// One picture after the other: a camera that is slow to open must not keep the others waiting for ever.
function refresh(sources) {
  clearTimeout(timer);
  if (!sources.whole) return;
  timer = setTimeout(async () => {
    for (const image of at("cameras").querySelectorAll("img:not(.broken)")) {
      const next = new Image();
      next.src = address(image.dataset.source);
      await next.decode().then(
        () => (image.src = next.src),
        () => {},
      );
      if (at("step-two").hidden) return;
    }
    refresh(sources);
  }, AGAIN_MS);
}

export async function watch(source) {
  try {
    await press("source", { source });
  } catch (error) {
    said(error);
    return;
  }
  showCameras();
}

function said(error) {
  if (!(error instanceof Refused)) throw error;
  toast(error.message);
}
