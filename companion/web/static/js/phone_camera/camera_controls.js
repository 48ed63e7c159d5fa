// Sets the phone's camera: locks exposure and white balance once they have settled, searches the focus, and locks it.

import { measureLight, measureSharpness } from "./measures.js";

/** @typedef {PostBody<"phone/controls">} ControlStates */
/** @typedef {keyof ControlStates} Control */
/** @typedef {{ min: number, max: number }} Range */

// The light has settled once it has stayed within this many stops for this long; phones need about a second.
const SETTLED_STOPS = 0.1;
const SETTLED_MS = 1500;
const LONGEST_SETTLING_MS = 6000;
// A change of the light by half a stop for this long releases the lock; a person leaning over is gone earlier.
const RELEASED_STOPS = 0.5;
const RELEASED_MS = 2000;
const LOOK_EVERY_MS = 250;
// A lock that changes the picture by more than this is taken back.
const MOST_JUMP_STOPS = 0.25;
const LOCK_CHECK_MS = 700;
// An autofocus of a phone takes about a second.
const AUTOFOCUS_MS = 1500;
// After this time the lens has moved, and the picture shows it.
const LENS_MS = 220;
const COARSE_POSITIONS = 8;
const FINE_ROUNDS = 4;
const CLEARLY_BETTER = 1.1;
const LONGEST_SEARCH_MS = 5000;
// The pause between two searches; it doubles after a search that changed nothing.
const FIRST_PAUSE_MS = 20_000;

/** @type {Record<Control, "focusMode" | "exposureMode" | "whiteBalanceMode">} */
const MODES = { focus: "focusMode", exposure: "exposureMode", white_balance: "whiteBalanceMode" };
/** @typedef {"focusDistance" | "exposureTime" | "iso" | "colorTemperature"} Value */
// The settings that lock a control at its current value.
/** @type {Record<Control, Value[]>} */
const VALUES = { focus: ["focusDistance"], exposure: ["exposureTime", "iso"], white_balance: ["colorTemperature"] };

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class CameraControls {
  /** @type {ControlStates} */
  states = { focus: "settling", exposure: "settling", white_balance: "settling" };
  /**
   * The constraints in force; each call of `applyConstraints` must repeat all of it.
   * @type {MediaTrackConstraintSet}
   */
  #applied = {};
  #isBusy = false;
  #nextSearchMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #track;
  #video;
  #report;
  #can;

  /**
   * @param {MediaStreamTrack} track
   * @param {HTMLVideoElement} video
   * @param {(states: ControlStates) => void} report called whenever a state changes
   */
  constructor(track, video, report) {
    this.#track = track;
    this.#video = video;
    this.#report = report;
    this.#can = track.getCapabilities?.() ?? {};
  }

  // Runs until the track ends.
  async run() {
    await this.#apply(Object.fromEntries(Object.values(MODES).map((mode) => [mode, "continuous"])));
    await this.#lockLight();
    await this.focus(true);
    let before = this.#light();
    let changedMs = 0;
    while (this.#track.readyState === "live") {
      await wait(LOOK_EVERY_MS);
      const change = this.#light().changeSince(before);
      changedMs = change > RELEASED_STOPS ? changedMs + LOOK_EVERY_MS : 0;
      if (changedMs < RELEASED_MS) continue;
      await this.#release();
      await this.#lockLight();
      before = this.#light();
      changedMs = 0;
    }
  }

  /**
   * Searches the focus, at the start or because the picture is blurred.
   * @param {boolean} [first]
   */
  async focus(first = false) {
    if (this.#isBusy || (!first && (this.states.focus === "refused" || performance.now() < this.#nextSearchMs))) return;
    this.#isBusy = true;
    this.#set("focus", "settling");
    await this.#autofocus();
    const range = this.#can.focusDistance;
    const start = this.#track.getSettings().focusDistance;
    const isHeld = await this.#hold("focus");
    if (isHeld && isRange(range) && start !== undefined) {
      const best = await this.#searchFocus(start, range);
      this.#pauseMs = best === start ? 2 * this.#pauseMs : FIRST_PAUSE_MS;
    }
    // A single shot of the autofocus leaves the lens where it is.
    this.#set("focus", isHeld || this.#applied.focusMode === "single-shot" ? "locked" : "refused");
    this.#nextSearchMs = performance.now() + this.#pauseMs;
    this.#isBusy = false;
  }

  async #autofocus() {
    const mode = ["single-shot", "continuous"].find((one) => this.#can.focusMode?.includes(one));
    if (mode && (await this.#apply({ focusMode: mode }))) await wait(AUTOFOCUS_MS);
  }

  /**
   * Coarse to fine, as for a webcam (`companion/capture/focus_search.py`).
   * @param {number} start
   * @param {Range} range
   * @returns {Promise<number>} the position at which the lens is now; the start if none is clearly better
   */
  async #searchFocus(start, { min, max }) {
    const endMs = performance.now() + LONGEST_SEARCH_MS;
    /** @type {Map<number, number>} */
    const sharpness = new Map();
    /** @param {number} position */
    const measure = async (position) => {
      if (performance.now() > endMs || position < min || position > max || sharpness.has(position)) return;
      await this.#apply({ focusMode: "manual", focusDistance: position });
      await wait(LENS_MS);
      sharpness.set(position, measureSharpness(this.#video));
    };
    const best = () => [...sharpness].reduce((one, other) => (other[1] > one[1] ? other : one));
    await measure(start);
    // Lens positions are distances: near ones lie closely together.
    const ratio = (max / Math.max(min, max / 1000)) ** (1 / (COARSE_POSITIONS - 1));
    for (let index = 0; index < COARSE_POSITIONS; index++) await measure(max / ratio ** index);
    for (let round = 1, step = ratio; round <= FINE_ROUNDS; round++) {
      step **= 0.5;
      const [middle] = best();
      await measure(middle / step);
      await measure(middle * step);
    }
    const [position, value] = best();
    const found = value >= CLEARLY_BETTER * (sharpness.get(start) ?? 0) ? position : start;
    await this.#apply({ focusMode: "manual", focusDistance: found });
    return found;
  }

  async #lockLight() {
    const before = await this.#settled();
    for (const control of /** @type {const} */ (["exposure", "white_balance"])) {
      if (this.states[control] !== "settling") continue;
      const isHeld = await this.#hold(control);
      if (isHeld) await wait(LOCK_CHECK_MS);
      const isKept = isHeld && this.#light().changeSince(before) <= MOST_JUMP_STOPS;
      if (isHeld && !isKept) await this.#apply({ [MODES[control]]: "continuous" });
      this.#set(control, isKept ? "locked" : "refused");
    }
  }

  async #release() {
    for (const control of /** @type {const} */ (["exposure", "white_balance"])) {
      if (this.states[control] !== "locked") continue;
      await this.#apply({ [MODES[control]]: "continuous" });
      this.#set(control, "settling");
    }
  }

  // Waits until the light has settled, and returns it.
  async #settled() {
    const endMs = performance.now() + LONGEST_SETTLING_MS;
    let light = this.#light();
    let settledMs = 0;
    while (settledMs < SETTLED_MS && performance.now() < endMs) {
      await wait(LOOK_EVERY_MS);
      const now = this.#light();
      if (now.changeSince(light) <= SETTLED_STOPS) settledMs += LOOK_EVERY_MS;
      else [light, settledMs] = [now, 0];
    }
    return light;
  }

  /**
   * Locks a control at its current value.
   * @param {Control} control
   */
  #hold(control) {
    if (!this.#can[MODES[control]]?.includes("manual")) return Promise.resolve(false);
    const settings = this.#track.getSettings();
    const values = VALUES[control].filter((name) => isRange(this.#can[name]) && settings[name] !== undefined);
    return this.#apply({
      [MODES[control]]: "manual",
      ...Object.fromEntries(values.map((name) => [name, settings[name]])),
    });
  }

  /**
   * Applies more settings; if the camera refuses one of them, the earlier settings stay.
   * @param {MediaTrackConstraintSet} more
   * @returns {Promise<boolean>} whether the camera reports the requested modes
   */
  async #apply(more) {
    const modes = Object.values(MODES).filter((mode) => more[mode] !== undefined);
    const refused = modes.filter((mode) => !this.#can[mode]?.includes(more[mode] ?? ""));
    if (refused.length === modes.length) return false;
    const before = this.#applied;
    this.#applied = { ...before, ...more };
    for (const mode of refused) delete this.#applied[mode];
    try {
      await this.#track.applyConstraints({ advanced: [this.#applied] });
    } catch {
      this.#applied = before;
      return false;
    }
    const settings = this.#track.getSettings();
    const areSet = modes.every((mode) => refused.includes(mode) || settings[mode] === more[mode]);
    if (!areSet) this.#applied = before;
    return areSet && refused.length === 0;
  }

  #light() {
    return measureLight(this.#video);
  }

  /**
   * @param {Control} control
   * @param {ControlStates[Control]} state
   */
  #set(control, state) {
    if (this.states[control] === state) return;
    this.states = { ...this.states, [control]: state };
    this.#report(this.states);
  }
}

/**
 * @param {Range | undefined} range
 * @returns {range is Range}
 */
const isRange = (range) => range !== undefined && range.max > range.min && Number.isFinite(range.max);
