// Bells and ticks (Web Audio API); a browser lets a page make sounds once somebody has touched it.
import { isOn } from "./switches.js";

const LASTS_S = 0.5;
const TICK_LASTS_S = 0.06;

/** @type {Record<string, [hertz: number, afterS: number][]>} */
const BELLS = {
  tick: [[1760, 0]],
  warning: [[880, 0]],
  over: [
    [988, 0],
    [784, 0.22],
    [988, 0.44],
    [784, 0.66],
  ],
  legal: [
    [784, 0],
    [1175, 0.09],
  ],
  illegal: [
    [247, 0],
    [196, 0.13],
  ],
  won: [
    [523, 0],
    [659, 0.12],
    [784, 0.24],
    [1047, 0.36],
  ],
};
/** @type {AudioContext | null} */
let audio = null;

document.addEventListener("pointerdown", () => {
  audio ??= "AudioContext" in window ? new AudioContext() : null;
  audio?.resume();
});

/** @param {"tick" | "warning" | "over" | "legal" | "illegal" | "won"} bell */
export function ring(bell) {
  if (audio?.state !== "running" || !isOn(bell === "tick" ? "ticking" : "bells")) return;
  const lastsS = bell === "tick" ? TICK_LASTS_S : LASTS_S;
  for (const [hertz, afterS] of BELLS[bell]) {
    const from = audio.currentTime + afterS;
    const tone = audio.createOscillator();
    const loudness = audio.createGain();
    tone.type = "triangle";
    tone.frequency.value = hertz;
    loudness.gain.setValueAtTime(0.0001, from);
    loudness.gain.exponentialRampToValueAtTime(0.35, from + 0.015);
    loudness.gain.exponentialRampToValueAtTime(0.0001, from + lastsS);
    tone.connect(loudness).connect(audio.destination);
    tone.start(from);
    tone.stop(from + lastsS);
  }
}
