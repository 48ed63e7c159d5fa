// Bells of the clock, made on the spot; a browser lets a page ring once somebody has touched it.
const KEY = "tilekeeper-quiet";
const BELLS = {
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
};
const LASTS_S = 0.5;
let audio = null;

document.addEventListener("pointerdown", () => {
  audio ??= "AudioContext" in window ? new AudioContext() : null;
  audio?.resume();
});

export const isQuiet = () => localStorage.getItem(KEY) === "yes";
export const beQuiet = (quiet) => localStorage.setItem(KEY, quiet ? "yes" : "no");

export function ring(bell) {
  if (audio?.state !== "running" || isQuiet()) return;
  for (const [hertz, afterS] of BELLS[bell]) {
    const from = audio.currentTime + afterS;
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    tone.type = "triangle";
    tone.frequency.value = hertz;
    loud.gain.setValueAtTime(0.0001, from);
    loud.gain.exponentialRampToValueAtTime(0.35, from + 0.015);
    loud.gain.exponentialRampToValueAtTime(0.0001, from + LASTS_S);
    tone.connect(loud).connect(audio.destination);
    tone.start(from);
    tone.stop(from + LASTS_S);
  }
}
