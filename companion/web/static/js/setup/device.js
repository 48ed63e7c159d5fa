// What the camera is asked for (size, compressed pictures, exposure), and what it says that it gives.
import { fill, make } from "../dom.js";
import { press, Refused } from "../link.js";
import { toast } from "../toast.js";
import { segments, toggle } from "./controls.js";

const SIZES = [
  [1280, 720],
  [1920, 1080],
  [2560, 1440],
  [3840, 2160],
];
const EXPOSURES_S = [1 / 30, 1 / 60, 1 / 125, 1 / 250];
const LOOK_AGAIN_MS = 2500;

// changed(sources) hears of what came of a choice; again() asks anew, once the camera has had time to open.
export function drawDevice(box, sources, changed, again) {
  const { camera } = sources;
  box.hidden = camera === null;
  if (!camera) return;
  const { asked, gives } = camera;
  const ask = async (more) => {
    const { width_px, height_px, mjpg, exposure_s } = { ...asked, ...more };
    try {
      changed(await press("camera", { width_px, height_px, mjpg, exposure_s }));
      setTimeout(again, LOOK_AGAIN_MS);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      toast(error.message);
    }
  };
  const size = SIZES.findIndex(([width, height]) => width === asked.width_px && height === asked.height_px);
  const exposure = EXPOSURES_S.findIndex((seconds) => Math.abs(seconds - (asked.exposure_s ?? 0)) < 1e-4);
  fill(
    box,
    make("h3", {}, "What the camera gives"),
    make("p", { class: "gives", id: "gives" }, gives ? told(gives) : "It is being opened."),
    gives ? differs(asked, gives) : null,
    make("h3", {}, "Ask it for"),
    segments(
      "size",
      SIZES.map(([width, height], index) => [index, `${width} × ${height}`]),
      size,
      (index) => ask({ width_px: SIZES[index][0], height_px: SIZES[index][1] }),
    ),
    make("h3", {}, "Exposure"),
    segments(
      "exposure",
      [[-1, "By itself"], ...EXPOSURES_S.map((seconds, index) => [index, fraction(seconds)])],
      asked.exposure_s === null ? -1 : exposure,
      (index) => ask({ exposure_s: index < 0 ? null : EXPOSURES_S[index] }),
    ),
    toggle("Compressed pictures (MJPG): large ones come faster", asked.mjpg, (mjpg) => ask({ mjpg })),
  );
}

const fraction = (seconds) => (seconds >= 0.4 ? `${seconds.toFixed(1)} s` : `1/${Math.round(1 / seconds)} s`);

function told({ width_px, height_px, mjpg, fps, exposure_s }) {
  const facts = [
    `${width_px} × ${height_px}`,
    mjpg ? "compressed (MJPG)" : "uncompressed",
    fps && `${Math.round(fps)} pictures a second`,
    exposure_s && `exposed for ${fraction(exposure_s)}`,
  ];
  return facts.filter(Boolean).join(", ");
}

// A camera that can't do what it was asked for does something else without a word.
function differs(asked, gives) {
  const other = [];
  if (asked.width_px !== gives.width_px || asked.height_px !== gives.height_px)
    other.push(`It has no ${asked.width_px} × ${asked.height_px}.`);
  if (asked.mjpg && !gives.mjpg) other.push("It has no compressed pictures.");
  if (
    asked.exposure_s !== null &&
    (gives.exposure_s === null || Math.abs(Math.log2(gives.exposure_s / asked.exposure_s)) > 0.6)
  )
    other.push("Its exposure can’t be set from here.");
  return other.length > 0 ? make("p", { class: "finding" }, other.join(" ")) : null;
}
