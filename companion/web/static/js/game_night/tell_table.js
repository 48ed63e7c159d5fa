// "Tell me the table": reads the table aloud, for players who see badly; the same button or key stops it.

import { get } from "../api.js";
import { isDialogOpen, openDialog } from "../dialog.js";
import { byId, make } from "../dom.js";
import { hasModifier } from "../keys.js";
import { gettext } from "../language.js";
import { canSpeak, hush, speak, unlockVoice } from "./speech.js";
import { hasGameNight, showRefusal } from "./store.js";

/** @typedef {"short" | "sets" | "all"} Detail */

const KEY = "tilekeeper-tells";
const LETTER = "t";

/** @type {[Detail, string, string][]} */
export const DETAILS = [
  ["short", gettext("Short"), gettext("turn and decision")],
  ["sets", gettext("Sets"), gettext("set by set, and the scores")],
  ["all", gettext("Everything"), gettext("every tile, every rack")],
];

/** @returns {Detail} */
export function detail() {
  const kept = localStorage.getItem(KEY);
  return kept === "short" || kept === "all" ? kept : "sets";
}

/** @param {Detail} chosen */
export const setDetail = (chosen) => localStorage.setItem(KEY, chosen);

export async function tellTable() {
  if (canSpeak() && speechSynthesis.speaking) {
    hush();
    return;
  }
  unlockVoice();
  try {
    const { sentences } = await get("evening/table-words", { detail: detail() });
    hush();
    // Some voices stop after a quarter of a minute, so each sentence is an utterance of its own.
    for (const sentence of sentences) speak(sentence);
    if (!hasVoice()) showWords(sentences);
  } catch (error) {
    showRefusal(error);
  }
}

// Some computers have the browser's speech, but no voice for it.
const hasVoice = () => canSpeak() && speechSynthesis.getVoices().length > 0;

/** @param {string[]} sentences */
function showWords(sentences) {
  const lines = sentences.map((sentence) => make("p", {}, sentence));
  openDialog(gettext("The table in words"), [make("div", { class: "all-lines" }, ...lines)], { roomy: true });
}

export function wireTelling() {
  hasVoice(); // browsers load their voices after the first question
  byId("tell-table").addEventListener("click", tellTable);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== LETTER || hasModifier(event) || event.repeat || isDialogOpen()) return;
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    if (!isTyping && hasGameNight()) tellTable();
  });
}
