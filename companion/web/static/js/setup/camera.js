// The choice of the camera, with previews that are updated every few seconds.

import { fetchPreview, get, post } from "../api.js";
import { byId, fill, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { toastRefusal } from "../toast.js";
import { drawArea } from "./area.js";
import { drawDevice } from "./device.js";
import { drawPhones, leavePhones, PHONE } from "./phones.js";
import { watchPlacement } from "./placement.js";

const REFRESH_MS = 2500;
const RECORDED_TABLE = "demo";
const NO_CAMERA = "none";
let timer = 0;

const isShown = () => !byId("step-two").hidden;

export async function showCameras() {
  clearTimeout(timer);
  try {
    await drawSources(await get("sources"));
    byId("step-two").dataset.ready = "";
  } catch (error) {
    toastRefusal(error);
  }
}

/**
 * @param {Sources} sources
 * @returns {Promise<void>} resolves once all parts are drawn
 */
function drawSources(sources) {
  const { cameras, watched, demo } = sources;
  const listed = [RECORDED_TABLE, NO_CAMERA, PHONE, ...cameras.map(({ source }) => source)].includes(watched);
  fill(
    byId("cameras"),
    listed ? null : card(watched, nameOfWatched(sources), sources),
    ...cameras.map(({ source, name }) => card(source, name, sources)),
    demo && card(RECORDED_TABLE, gettext("Recorded table"), sources),
    card(PHONE, gettext("A phone's camera"), sources),
    card(NO_CAMERA, gettext("No camera: everything by hand"), sources),
  );
  byId("watched").textContent = nameOfWatched(sources);
  drawArea(sources, drawSources);
  drawCameraDevice(sources);
  watchPlacement(watched !== NO_CAMERA);
  refresh(sources);
  return drawPhones(byId("phones"), sources.host && watched === PHONE);
}

/** @param {Sources} sources */
function drawCameraDevice(sources) {
  const drawAgain = async () => {
    if (isShown()) drawCameraDevice(await get("sources").catch(() => sources));
  };
  drawDevice(byId("device"), sources, drawCameraDevice, drawAgain);
}

export async function nameWatched() {
  const sources = await get("sources").catch(() => null);
  if (sources) byId("watched").textContent = nameOfWatched(sources);
}

/** @param {Sources} sources */
function nameOfWatched({ cameras, watched }) {
  if (watched === PHONE) return gettext("A phone's camera");
  if (watched === NO_CAMERA) return gettext("No camera");
  if (watched === RECORDED_TABLE) return gettext("Recorded table");
  const camera = cameras.find(({ source }) => source === watched);
  const file = () => watched.split(/[\\/]/).filter(Boolean).at(-1) ?? watched;
  return camera?.name ?? (watched.includes("://") ? watched : file());
}

export function leaveCameras() {
  leavePhones();
  clearTimeout(timer);
}

/**
 * @param {string} source
 * @param {string} name
 * @param {Sources} sources
 */
function card(source, name, { watched, host, racks }) {
  const on = source === watched;
  return make(
    "button",
    {
      type: "button",
      class: on ? "camera-card on" : "camera-card",
      "aria-pressed": String(on),
      onclick: () => watch(source),
    },
    make("span", { class: "preview" }, ...[preview(source, on, previewRefusal(host, racks))].flat()),
    make("b", {}, name),
  );
}

/**
 * @param {string} source
 * @param {boolean} on whether it is watched
 * @param {string} refusal why there is no preview now; empty if there is one
 */
function preview(source, on, refusal) {
  if (source === NO_CAMERA) return make("span", { class: "no-preview" }, icon("hand"));
  const empty = make("span", { class: "no-preview" }, icon(source === PHONE ? "tablet" : "camera"));
  if (source === PHONE && !on) return empty;
  if (refusal) return make("span", { class: "no-preview" }, refusal);
  const image = make("img", { alt: "", "data-source": source });
  load(image).then((loaded) => loaded || image.classList.add("broken"));
  return [image, empty];
}

/**
 * @param {boolean} host
 * @param {boolean} racks whether racks may stand around the table
 */
function previewRefusal(host, racks) {
  if (!host) return gettext("Only the computer that runs the app shows previews");
  return racks ? gettext("No preview while racks may be in it") : "";
}

/**
 * Updates the previews one after the other, since cameras are slow to open.
 * @param {Sources} sources
 */
function refresh(sources) {
  clearTimeout(timer);
  if (previewRefusal(sources.host, sources.racks)) return;
  timer = setTimeout(async () => {
    const images = /** @type {NodeListOf<HTMLImageElement>} */ (byId("cameras").querySelectorAll("img:not(.broken)"));
    for (const image of images) {
      await load(image);
      if (!isShown()) return;
    }
    refresh(sources);
  }, REFRESH_MS);
}

/**
 * Loads a newer preview; if there is none, the last preview stays until the next update.
 * @param {HTMLImageElement} image
 * @returns {Promise<boolean>} whether there was a newer preview
 */
async function load(image) {
  try {
    const before = image.src;
    image.src = await fetchPreview(image.dataset.source ?? "");
    URL.revokeObjectURL(before);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} source */
async function watch(source) {
  try {
    await post("source", { source });
  } catch (error) {
    toastRefusal(error);
    return;
  }
  showCameras();
}

/** Wires the form for the address of a camera. */
export function watchAddress() {
  const address = byId("address", HTMLFormElement);
  address.addEventListener("submit", (event) => {
    event.preventDefault();
    const source = String(new FormData(address).get("source")).trim();
    if (source) watch(source);
  });
}
