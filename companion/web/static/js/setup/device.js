// The camera settings: those to request (size, compression, exposure), and those that the camera reports.

import { post } from "../api.js";
import { segments, toggle } from "../controls.js";
import { fill, make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { toastRefusal } from "../toast.js";

const SIZES = [
  [1280, 720],
  [1920, 1080],
  [2560, 1440],
  [3840, 2160],
];
const EXPOSURES_S = [1 / 30, 1 / 60, 1 / 125, 1 / 250];
const BY_ITSELF = -1;
const REOPENED_AFTER_MS = 2500;
// The largest difference between requested and reported exposure, in powers of two.
const MOST_OFF_EV = 0.6;

/**
 * @param {HTMLElement} box
 * @param {Sources} sources
 * @param {(sources: Sources) => void} changed called with the answer to a change
 * @param {() => void} askAgain called once the camera has had time to open
 */
export function drawDevice(box, { camera }, changed, askAgain) {
  box.hidden = camera === null;
  if (!camera) return;
  const { asked, gives } = camera;
  /** @param {Partial<CameraPictures>} more */
  const askFor = async (more) => {
    const { width_px, height_px, mjpg, exposure_s } = { ...asked, ...more };
    try {
      changed(await post("camera", { width_px, height_px, mjpg, exposure_s }));
      setTimeout(askAgain, REOPENED_AFTER_MS);
    } catch (error) {
      toastRefusal(error);
    }
  };
  const size = SIZES.findIndex(([width, height]) => width === asked.width_px && height === asked.height_px);
  const exposure = EXPOSURES_S.findIndex((seconds) => Math.abs(seconds - (asked.exposure_s ?? 0)) < 1e-4);
  fill(
    box,
    make("h3", {}, gettext("Picture of the camera")),
    make("p", { class: "gives", id: "gives" }, gives ? pictureFacts(gives) : gettext("The camera is starting.")),
    gives ? differences(asked, gives) : null,
    make("h3", {}, gettext("Picture size")),
    segments("size", SIZES.map(sizeOption), size, (index) =>
      askFor({ width_px: SIZES[index][0], height_px: SIZES[index][1] }),
    ),
    make("h3", {}, gettext("Brightness (exposure)")),
    segments(
      "exposure",
      [[BY_ITSELF, gettext("Automatic")], ...EXPOSURES_S.map(exposureOption)],
      asked.exposure_s === null ? BY_ITSELF : exposure,
      (index) => askFor({ exposure_s: index === BY_ITSELF ? null : EXPOSURES_S[index] }),
    ),
    toggle(gettext("Compressed pictures: large ones come faster"), asked.mjpg, (mjpg) => askFor({ mjpg })),
  );
}

/**
 * @param {number[]} size
 * @param {number} index
 * @returns {[number, string]}
 */
const sizeOption = ([width, height], index) => [index, `${width} × ${height}`];

/**
 * @param {number} seconds
 * @param {number} index
 * @returns {[number, string]}
 */
const exposureOption = (seconds, index) => [index, fraction(seconds)];

/** @param {number} seconds */
const fraction = (seconds) => (seconds >= 0.4 ? `${seconds.toFixed(1)} s` : `1/${Math.round(1 / seconds)} s`);

/** @param {CameraPictures} pictures */
function pictureFacts({ width_px, height_px, mjpg, fps, exposure_s }) {
  const facts = [
    `${width_px} × ${height_px}`,
    mjpg ? gettext("compressed") : gettext("uncompressed"),
    fps && ngettext("{count} picture a second", "{count} pictures a second", Math.round(fps)),
    exposure_s && gettext("exposure {time}", { time: fraction(exposure_s) }),
  ];
  return facts.filter(Boolean).join(", ");
}

/**
 * The differences between requested and reported settings, since a camera replaces unsupported ones without an error.
 * @param {CameraPictures} asked
 * @param {CameraPictures} gives
 */
function differences(asked, gives) {
  const lines = [];
  if (asked.width_px !== gives.width_px || asked.height_px !== gives.height_px) {
    lines.push(
      gettext("The camera can't send pictures of {width} × {height}.", {
        width: asked.width_px,
        height: asked.height_px,
      }),
    );
  }
  if (asked.mjpg && !gives.mjpg) lines.push(gettext("The camera can't compress pictures."));
  if (asked.exposure_s !== null && !isNear(gives.exposure_s, asked.exposure_s)) {
    lines.push(gettext("You can't set the camera's brightness here."));
  }
  return lines.length > 0 ? make("p", { class: "finding" }, lines.join(" ")) : null;
}

/**
 * @param {number | null} givenS
 * @param {number} askedS
 */
const isNear = (givenS, askedS) => givenS !== null && Math.abs(Math.log2(givenS / askedS)) <= MOST_OFF_EV;
