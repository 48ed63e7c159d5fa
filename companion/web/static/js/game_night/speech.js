// Says names and verdicts aloud, with the browser's own voice in the language of the page.
import { gettext } from "../language.js";
import { gameNight, nameOf } from "./store.js";
import { isOn } from "./switches.js";

export const canSpeak = () => "speechSynthesis" in window;

/** @type {string | null} the turn that was announced last, with game night and round */
let turnSaid = null;

/** @param {string} text */
export function say(text) {
  if (isOn("speech")) speak(text);
}

/**
 * Says a text even where speech is switched off, because somebody asked for it.
 * @param {string} text
 */
export function speak(text) {
  if (!canSpeak() || !text) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  speechSynthesis.speak(words);
}

// Browsers of tablets speak only if the first words come in the handler of a tap, not after an answer of the app.
export function unlockVoice() {
  if (canSpeak()) speechSynthesis.speak(new SpeechSynthesisUtterance(""));
}

/**
 * Says a verdict, and drops older words that are still waiting.
 * @param {string} text
 */
export function sayVerdict(text) {
  hush();
  say(text);
}

export function hush() {
  if (canSpeak()) speechSynthesis.cancel();
}

// Says whose turn it is after each turn, but not when the page opens.
export function sayTurn() {
  const { id, round, player, phase } = gameNight();
  const turn = JSON.stringify([id, round, phase === "turns" ? player : null]);
  const first = turnSaid === null;
  if (turn === turnSaid) return;
  turnSaid = turn;
  if (!first && phase === "turns" && player !== null)
    say(gettext("{name}, it is your turn.", { name: nameOf(player) }));
}
