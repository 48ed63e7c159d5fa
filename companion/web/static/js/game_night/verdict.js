// The ribbon with the verdict: the player, the faults, and the smallest fix.

import { openDialog } from "../dialog.js";
import { byId, fill, make } from "../dom.js";
import { leaveOutWhatDoesNotFit } from "../fit.js";
import { highlight, toggleFault } from "../highlight.js";
import { gettext } from "../language.js";
import { redraw } from "../redraw.js";
import { tileElement } from "../tiles.js";
import { drawCard, faultLines, faultSaid, moreProblems, noteLines, notesOf, staleLine } from "../verdict_card.js";
import { aloud } from "../words.js";
import { fixLines } from "./fix.js";
import { drawQuestion } from "./questions.js";
import { ring } from "./sound.js";
import { sayVerdict } from "./speech.js";
import { splash } from "./splash.js";
import { gameNight, may, maySteer, nameOf, state } from "./store.js";
import { drawPicture } from "./table_picture.js";
import { tooManyForRack, turnCase } from "./turn_case.js";

/** @typedef {import("../verdict_card.js").CardKind} CardKind */

/**
 * @typedef {object} CardOfTurn
 * @property {CardKind} kind
 * @property {string} headline
 * @property {string} advice
 * @property {() => Child[]} lines the lines below, the most important first
 */

/** @type {string | null} the key of the verdict that was announced last */
let spoken = null;

/**
 * Returns the card to show now.
 * @returns {CardOfTurn}
 */
function cardNow() {
  const { verdict, source } = state();
  const { last, laid } = gameNight();
  const none = () => [];
  const { headline = "", advice = "" } = verdict ?? {};
  switch (turnCase()) {
    case "reading":
      return {
        kind: "wait",
        headline: gettext("One moment"),
        advice: gettext("The app checks the table as soon as nothing moves."),
        lines: none,
      };
    case "exceeded":
      return { kind: "unsure", headline: gettext("More tiles than the rack had"), advice: "", lines: none };
    case "unsure":
      return { kind: "unsure", headline, advice, lines: none };
    case "undecided":
      return { kind: "unsure", headline, advice, lines: () => noteLines(verdict) };
    case "legal":
      return { kind: "legal", headline, advice: laid, lines: () => legalLines(verdict) };
    case "wrong":
      return {
        kind: "illegal",
        headline: gettext("Not allowed"),
        advice: verdict?.kind === "illegal" ? "" : gettext("Fix it and press Done, or take it back."),
        lines: () => wrongLines(verdict),
      };
    case "begun":
      return {
        kind: "wait",
        headline: gettext("Has the game begun already?"),
        advice: tooManyForRack(),
        lines: none,
      };
    default:
      return {
        kind: "wait",
        headline: source.kind === "none" ? gettext("Your turn") : gettext("Lay your tiles"),
        advice: laid ? last : `${last} ${firstTurnHint()}`,
        lines: none,
      };
  }
}

/** What to do, until a turn was laid. */
function firstTurnHint() {
  if (!may("draw")) return gettext("Lay your sets and press Done.");
  return state().source.kind === "none"
    ? gettext("Lay your sets, press Done and tap them in. If you can't, press Draw.")
    : gettext("Lay your sets and press Done. If you can't, press Draw.");
}

export function drawVerdict() {
  const { verdict, turn, reading } = state();
  const now = cardNow();
  const { kind, headline, advice } = now;
  const { may: actions, judged, exceeded, last } = gameNight();
  const shows = [
    kind,
    headline,
    advice,
    last,
    verdict,
    turn.waiting_to,
    actions,
    judged,
    exceeded,
    maySteer(),
    highlight,
    reading?.number,
  ];
  redraw(byId("verdict"), shows, () => {
    const hasQuestion = kind === "unsure" && drawQuestion(verdict);
    if (!hasQuestion) byId("asks").hidden = true;
    document.body.dataset.card = hasQuestion ? "asks" : kind;
    byId("concerned").textContent = kind === "wait" ? "" : nameOf(judged);
    drawCard(now, now.lines());
    fitRibbon();
    if (allLines.isConnected) fillAllLines();
  });
  announce(now);
}

export function wireVerdict() {
  byId("all-about").addEventListener("click", openAll);
  new ResizeObserver(fitRibbon).observe(byId("verdict"));
}

// Lines that do not fit the ribbon are hidden until a tap on "Details", which says how many faults these are.
function fitRibbon() {
  const { scrollHeight, clientHeight } = byId("advice");
  const cut = scrollHeight > clientHeight + 1;
  const all = byId("all-about");
  all.hidden = byId("verdict").dataset.kind === "wait" && !cut;
  const more = byId("more");
  more.classList.remove("tight");
  leaveOutWhatDoesNotFit(more);
  if (more.querySelector(".fault.left-out")) {
    more.classList.add("tight");
    leaveOutWhatDoesNotFit(more);
  }
  const listsMoves = byId("more").querySelector(".fix:not(.left-out) ol") !== null;
  byId("verdict").classList.toggle("lists-moves", listsMoves);
  const lines = /** @type {HTMLElement[]} */ ([...byId("more").querySelectorAll(".fault")]);
  const hidden = lines.filter((line) => line.classList.contains("left-out"));
  const count = hidden.reduce((sum, line) => sum + Number(line.dataset.count), 0);
  all.dataset.hidden = String(count > 0);
  byId("details").textContent = hidden.length < lines.length && count > 0 ? moreProblems(count) : gettext("Details");
}

/** All lines of the verdict, in a dialog; updated while it is open. */
const allLines = make("div", { class: "all-lines" });

function fillAllLines() {
  const { advice, lines } = cardNow();
  fill(allLines, make("p", {}, advice), ...lines());
}

function openAll() {
  const { headline } = cardNow();
  fillAllLines();
  openDialog([byId("concerned").textContent, headline].filter(Boolean).join(": "), [allLines], { roomy: true });
}

/**
 * Announces a new verdict: on the whole screen, by a bell, and aloud.
 * @param {CardOfTurn} card
 */
function announce({ kind, headline, advice }) {
  const { verdict, turn } = state();
  const judged = kind === "legal" || kind === "illegal";
  const faults = (verdict?.faults ?? []).map((fault) => fault.text);
  const name = nameOf(gameNight().judged);
  const words = aloud([name, headline, advice, ...(judged ? notesOf(verdict) : []), ...faults]);
  // A correction after the verdict changes the words on the card, but is not a new verdict.
  const key = judged
    ? JSON.stringify([kind, gameNight().judged, turn.finished, faults, verdict?.placed])
    : `${kind} ${words}`;
  if (key === spoken) return;
  const first = spoken === null;
  spoken = key;
  if (first || kind === "wait") return;
  byId("live").textContent = words;
  sayVerdict(words);
  if (!judged) return;
  const fault = verdict?.kind === "illegal" ? verdict.faults[0] : undefined;
  const others = (verdict?.faults.length ?? 0) - 1;
  splash(kind, headline, name, [fault ? faultSaid(fault) : null, others > 0 ? moreProblems(others) : null]);
  ring(kind);
}

/** @param {Verdict | null} verdict */
const legalLines = (verdict) => [
  gameNight().last !== gameNight().laid && make("p", { class: "caveat" }, gameNight().last),
  verdict &&
    verdict.placed.length > 0 &&
    make("div", { class: "placed" }, ...verdict.placed.map((tile) => tileElement(tile))),
  ...noteLines(verdict),
];

/** @param {Verdict | null} verdict */
function wrongLines(verdict) {
  if (!verdict) return [];
  return [
    ...faultLines(verdict, chooseFault),
    ...(verdict.fix ? fixLines(verdict.fix) : []),
    ...noteLines(verdict),
    !verdict.current && state().source.kind !== "none" && staleLine(),
  ];
}

/** @param {import("../highlight.js").GatheredFault} fault */
function chooseFault(fault) {
  toggleFault(fault);
  drawVerdict();
  drawPicture();
}
