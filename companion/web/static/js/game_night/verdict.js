// The ribbon with the verdict: the player, the faults, the smallest fix, and the next steps.

import { button, openDialog } from "../dialog.js";
import { byId, fill, make } from "../dom.js";
import { leaveOutWhatDoesNotFit } from "../fit.js";
import { highlight, toggleFault } from "../highlight.js";
import { hinted } from "../hints.js";
import { gettext, ngettext } from "../language.js";
import { redraw } from "../redraw.js";
import { tileElement } from "../tiles.js";
import { drawCard, faultLines, faultSaid, noteLines, notesOf, staleLine } from "../verdict_card.js";
import { aloud } from "../words.js";
import { fixLines } from "./fix.js";
import { acceptUndecided, overrule } from "./overrule.js";
import { drawQuestion } from "./questions.js";
import { ring } from "./sound.js";
import { sayVerdict } from "./speech.js";
import { splash } from "./splash.js";
import { act, gameNight, may, maySteer, nameOf, state } from "./store.js";
import { takeTableNow } from "./table_now.js";
import { drawPicture } from "./table_picture.js";

/** @typedef {import("../verdict_card.js").CardKind} CardKind */

/**
 * @typedef {object} CardOfTurn
 * @property {CardKind} kind
 * @property {string} headline
 * @property {string} advice
 * @property {() => Child[]} lines the lines below, the most important first
 * @property {() => Child[]} ways the buttons for the next steps
 */

/** @type {string | null} the text that was announced last */
let spoken = null;

/**
 * Returns the card to show now.
 * @returns {CardOfTurn}
 */
function cardNow() {
  const { verdict, turn, source } = state();
  const { last, wrong, exceeded } = gameNight();
  const none = () => [];
  if (turn.waiting_to) {
    const advice = gettext("The app checks the table as soon as nothing moves.");
    return { kind: "wait", headline: gettext("One moment"), advice, lines: none, ways: playOn };
  }
  if (exceeded) {
    return { kind: "unsure", headline: gettext("More tiles than the rack had"), advice: "", lines: none, ways: none };
  }
  if (verdict?.kind === "illegal" && wrong) {
    return { kind: "illegal", headline: verdict.headline, advice: "", lines: () => wrongLines(verdict), ways: waysOut };
  }
  if (verdict?.kind === "unsure" && may("cancel")) {
    const { headline, advice } = verdict;
    return { kind: "unsure", headline, advice, lines: none, ways: () => [...playOn(), overruling()] };
  }
  if (verdict?.kind === "undecided" && wrong) {
    const { headline, advice } = verdict;
    return { kind: "unsure", headline, advice, lines: () => noteLines(verdict), ways: decisions };
  }
  if (verdict?.kind === "legal") {
    return { kind: "legal", headline: verdict.headline, advice: last, lines: () => legalLines(verdict), ways: none };
  }
  if (wrong) {
    const advice = gettext("Fix it and press Done, or draw.");
    return {
      kind: "illegal",
      headline: gettext("Not allowed"),
      advice,
      lines: () => wrongLines(verdict),
      ways: waysOut,
    };
  }
  const tooMany = tooManyForRack();
  if (tooMany) {
    return {
      kind: "wait",
      headline: gettext("Has the game begun already?"),
      advice: tooMany,
      lines: none,
      ways: goOnFromHere,
    };
  }
  return {
    kind: "wait",
    headline: source.kind === "none" ? gettext("Your turn") : gettext("Lay your tiles"),
    advice: last,
    lines: none,
    ways: none,
  };
}

// A sentence if there are more new tiles than the player had: the round began without the app, or a count is wrong.
function tooManyForRack() {
  const { reading, settled } = state();
  const { players, player, table } = gameNight();
  const rack = player === null ? null : players[player].rack;
  if (!reading?.trusted || !settled || rack === null || rack < 0 || !may("table")) return "";
  const tiles = reading.tiles.filter((tile) => tile.there).length;
  return tiles - table.flat().length > rack
    ? ngettext(
        "{count} tile is on the table, but {name} had only {rack} to lay.",
        "{count} tiles are on the table, but {name} had only {rack} to lay.",
        tiles,
        { name: nameOf(player), rack },
      )
    : "";
}

export function drawVerdict() {
  const { verdict, turn, reading } = state();
  const now = cardNow();
  const { kind, headline, advice } = now;
  const { may: actions, judged, exceeded } = gameNight();
  const shows = [
    kind,
    headline,
    advice,
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
    fill(byId("ways-out"), ...now.ways());
    fitRibbon();
    if (allLines.isConnected) fillAllLines();
  });
  announce(now);
}

export function wireVerdict() {
  byId("all-about").addEventListener("click", openAll);
  new ResizeObserver(fitRibbon).observe(byId("verdict"));
}

// Lines that do not fit the ribbon are hidden until a tap on "More"; faults are hidden last.
function fitRibbon() {
  const { scrollHeight, clientHeight } = byId("advice");
  const cut = scrollHeight > clientHeight + 1;
  byId("all-about").hidden = byId("verdict").dataset.kind === "wait" && !cut;
  const more = byId("more");
  more.classList.remove("tight");
  leaveOutWhatDoesNotFit(more);
  if (!more.querySelector(".fault.left-out")) return;
  more.classList.add("tight");
  leaveOutWhatDoesNotFit(more);
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
  const { verdict } = state();
  const judged = kind === "legal" || kind === "illegal";
  const faults = (verdict?.faults ?? []).map((fault) => fault.text);
  const name = nameOf(gameNight().judged);
  const words = aloud([name, headline, advice, ...(judged ? notesOf(verdict) : []), ...faults]);
  const text = `${kind} ${words}`;
  if (text === spoken) return;
  const first = spoken === null;
  spoken = text;
  if (first || kind === "wait") return;
  byId("live").textContent = words;
  sayVerdict(words);
  if (!judged) return;
  const fault = verdict?.kind === "illegal" ? verdict.faults[0] : undefined;
  splash(kind, headline, name, fault ? faultSaid(fault) : null);
  ring(kind);
}

const playOn = () => [
  may("cancel") &&
    hinted(
      button(gettext("Play on"), () => act("cancel")),
      gettext("Takes back Done: the turn goes on."),
    ),
];
const overruling = () =>
  may("overrule") &&
  hinted(
    button(gettext("Change decision"), overrule),
    gettext("Lets the turn count, because all of you say so. The reason is kept."),
  );
const goOnFromHere = () => [button(gettext("Go on from this table"), takeTableNow)];

// The players decide a turn that the judge can't decide.
const decisions = () => [
  may("overrule") && button(gettext("It counts"), acceptUndecided),
  may("stand") && button(gettext("It does not count"), () => act("stand")),
  ...playOn(),
];

// The button names the penalty for not correcting the turn.
function waysOut() {
  const { penalty } = gameNight().edition;
  const takeBack = penalty > 0 ? gettext("Take it back, draw {penalty}", { penalty }) : gettext("Take it back");
  const hint =
    penalty > 0
      ? gettext("Ends the turn: you put the table back and draw the penalty.")
      : gettext("Ends the turn: you put the table back.");
  const stand = button(takeBack, () => act("stand"));
  return [may("stand") && hinted(stand, hint), overruling()];
}

/** @param {Verdict} verdict */
const legalLines = (verdict) => [
  verdict.placed.length > 0 && make("div", { class: "placed" }, ...verdict.placed.map((tile) => tileElement(tile))),
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
