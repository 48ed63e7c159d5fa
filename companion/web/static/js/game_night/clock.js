// The clock of the turn: counts down between two states, and rings.
import { at, icon, make } from "../dom.js";
import { clockTime } from "../words.js";
import { ring } from "./sound.js";
import { ageS, evening, may } from "./store.js";

const LOOK_MS = 100;
const WARNINGS_S = [15, 10, 0];
let before = null;

// What is left now, by the last state and the time since; null without a limit.
export function leftNow() {
  const clock = evening()?.clock;
  if (!clock || clock.left_s === null) return null;
  return clock.left_s - (clock.running ? ageS() : 0);
}

export function drawClock() {
  const clock = evening()?.clock;
  if (!clock) return;
  const left = leftNow();
  const used = clock.used_s + (clock.running ? ageS() : 0);
  const text = left === null ? clockTime(Math.floor(used)) : clockTime(left);
  if (at("left").textContent !== text) at("left").textContent = text;
  const kind = left === null ? "none" : left <= 0 ? "over" : left <= 10 ? "last" : left <= 15 ? "soon" : "well";
  at("clock").dataset.kind = kind;
  at("clock").dataset.running = clock.running;
  const says = clock.running
    ? left === null
      ? "taken"
      : left <= 0
        ? "over time"
        : "left"
    : used > 0
      ? "the clock stands"
      : "tap to start the clock";
  if (at("clock-says").textContent !== says) at("clock-says").textContent = says;
  at("clock").setAttribute("aria-label", clock.running ? "Pause the clock" : "Start the clock");
  warn(clock, left);
}

// Rings as a warning is passed, once each.
function warn(clock, left) {
  const turn = `${evening().id} ${evening().round} ${evening().player} ${clock.extra_s}`;
  if (clock.running && left !== null && before && before.turn === turn) {
    const passed = WARNINGS_S.find((warning) => before.left > warning && left <= warning);
    if (passed !== undefined) ring(passed === 0 ? "over" : "warning");
  }
  before = { turn, left: left ?? Infinity };
}

export function drawClockButtons() {
  const clock = evening().clock;
  const running = clock.running;
  at("pause").replaceChildren(icon(running ? "pause" : "play"), make("span", {}, running ? "Pause" : "Start"));
  at("pause").disabled = !may("pause") && !may("resume");
  at("clock").disabled = at("pause").disabled;
  at("more-time").hidden = clock.left_s === null;
  at("more-time").disabled = !may("more-time");
  at("restart").disabled = !may("restart");
}

export function startClock() {
  setInterval(drawClock, LOOK_MS);
}
