// The card of a game night: what is right or wrong, the smallest fix, doubtful tiles to name, and what can be done.
import { button } from "../dialog.js";
import { byId, make } from "../dom.js";
import { highlight, toggleFault } from "../highlight.js";
import { redraw } from "../redraw.js";
import { choiceButton, moveSteps, tileElement } from "../tiles.js";
import { caveatLine, drawCard, faultLines, groupingLine, pressStamp, staleLine } from "../verdict_card.js";
import { aloud, count } from "../words.js";
import { overrule } from "./overrule.js";
import { ring } from "./sound.js";
import { act, gameNight, may, maySteer, nameOf, send, state } from "./store.js";
import { takeTableNow } from "./table_now.js";
import { drawPicture } from "./table_picture.js";
import { labelTile } from "./training_examples.js";

/** @typedef {import("../verdict_card.js").CardKind} CardKind */
/** @typedef {{ kind: CardKind, headline: string, advice: string, lines: () => Child[] }} CardOfTurn */

/** @type {string | null} what was read out last */
let spoken = null;

/**
 * What stands on the card, and the lines below.
 * @returns {CardOfTurn}
 */
function cardNow() {
  const { verdict, turn, source } = state();
  const { last, wrong } = gameNight();
  if (turn.waiting_to) return card("wait", "One moment", "The table is judged as soon as it lies still.", waitingLines);
  if (verdict?.kind === "illegal" && wrong) return card("illegal", verdict.headline, "", () => wrongLines(verdict));
  if (verdict?.kind === "unsure" && may("cancel")) {
    return card("unsure", verdict.headline, verdict.advice, () => doubtLines(verdict));
  }
  if (verdict?.kind === "legal") return card("legal", verdict.headline, last, () => legalLines(verdict));
  if (wrong) return card("illegal", "Not legal", "Mend it and press Done, or draw.", () => wrongLines(verdict));
  const tooMany = tooManyForRack();
  if (tooMany) return card("wait", "Has the game begun already?", tooMany, begunLines);
  return card("wait", source.kind === "none" ? "Your turn" : "Lay your tiles", last, () => []);
}

/**
 * @param {CardKind} kind
 * @param {string} headline
 * @param {string} advice
 * @param {() => Child[]} lines
 */
const card = (kind, headline, advice, lines) => ({ kind, headline, advice, lines });

// More new tiles than the player had: a game that began without the app goes on from there, or a rack was miscounted.
function tooManyForRack() {
  const { reading, settled } = state();
  const { players, player, table } = gameNight();
  const rack = player === null ? null : players[player].rack;
  if (!reading?.trusted || !settled || rack === null || rack < 0 || !may("table")) return "";
  const tiles = reading.tiles.filter((tile) => tile.there).length;
  return tiles - table.flat().length > rack
    ? `${count(tiles, "tile")} lie on the table, and ${nameOf(player)} had only ${rack} to lay.`
    : "";
}

export function drawVerdict() {
  const { verdict, turn, reading } = state();
  const now = cardNow();
  const { kind, headline, advice, lines } = now;
  const { may: actions } = gameNight();
  const shows = [kind, headline, advice, verdict, turn.waiting_to, actions, maySteer(), highlight, reading?.number];
  redraw(byId("verdict"), shows, () => drawCard(now, lines()));
  announce(now);
}

/**
 * A new verdict comes down like a stamp, rings, and is read out.
 * @param {CardOfTurn} card
 */
function announce({ kind, headline, advice }) {
  const { verdict } = state();
  const judged = kind === "legal" || kind === "illegal";
  const faults = (verdict?.faults ?? []).map((fault) => fault.text);
  const words = aloud([headline, advice, judged && verdict?.caveat, ...faults]);
  const text = `${kind} ${words}`;
  if (text === spoken) return;
  const first = spoken === null;
  spoken = text;
  if (first || kind === "wait") return;
  byId("live").textContent = words;
  pressStamp();
  if (judged) ring(kind);
}

const begunLines = () => [make("div", { class: "ways" }, button("Go on from this table", takeTableNow, "main"))];

const waitingLines = () => [button("Play on", () => act("cancel"))];

/** @param {Verdict} verdict */
const legalLines = (verdict) => [
  verdict.placed.length > 0 && make("div", { class: "placed" }, ...verdict.placed.map((tile) => tileElement(tile))),
  caveatLine(verdict),
];

/** @param {Verdict | null} verdict */
function wrongLines(verdict) {
  const { penalty } = gameNight().edition;
  return [
    ...faultLines(verdict?.faults ?? [], chooseFault),
    verdict?.fix && verdict.fix.moves.length > 0 && fixLines(verdict.fix),
    caveatLine(verdict),
    verdict && !verdict.current && state().source.kind !== "none" && staleLine(),
    make(
      "div",
      { class: "ways" },
      // What it costs to leave the turn as it is stands on the button.
      may("stand") && button(penalty > 0 ? `Take it back, draw ${penalty}` : "Take it back", () => act("stand")),
      may("overrule") && button("Overrule", overrule),
    ),
  ];
}

/** @param {Fix} fix */
function fixLines({ smallest, moves }) {
  const title = smallest ? `${count(moves.length, "move")} would do:` : "This would do:";
  return make("div", { class: "fix" }, make("p", {}, title), moveSteps(moves));
}

/** @param {Verdict} verdict */
function doubtLines(verdict) {
  const reading = verdict.reading_number;
  /** @param {number[][]} rows */
  const group = (rows) => send("group", { reading, rows });
  return [
    ...verdict.questions.map((question) => questionLine(question, reading)),
    ...verdict.groupings.map((question) => groupingLine(question, reading, group, !maySteer())),
    make(
      "div",
      { class: "ways" },
      may("cancel") && button("Play on", () => act("cancel")),
      may("overrule") && button("Overrule", overrule),
    ),
  ];
}

/**
 * @param {Question} question
 * @param {number} reading
 */
function questionLine({ tile, asks, why, choices }, reading) {
  const buttons = choices.map((choice) =>
    choiceButton(
      choice.tile,
      choice.name,
      () => labelTile("answer", { reading, tile, label: choice.label }),
      !maySteer(),
    ),
  );
  return make(
    "div",
    { class: asks || why ? "question asks" : "question" },
    asks || why ? make("p", {}, asks || why) : null,
    make("img", { class: "crop", src: `/crop/${reading}/${tile}.jpg`, alt: "A doubtful tile" }),
    make("div", { class: "choices" }, ...buttons),
  );
}

/** @param {import("../highlight.js").GatheredFault} fault */
function chooseFault(fault) {
  toggleFault(fault);
  drawVerdict();
  drawPicture();
}
