// The verdict in a game night: what is right or wrong, the smallest fix, doubtful tiles to name, and what can be done.
import { at, icon, make } from "../dom.js";
import { redraw } from "../redraw.js";
import { tileElement } from "../tiles.js";
import { caveatLines, faultLine, gathered, groupingLine } from "../verdict.js";
import { count } from "../words.js";
import { askReason, button } from "./dialog.js";
import { drawView, lit } from "./picture_view.js";
import { ring } from "./sound.js";
import { act, evening, may, maySteer, nameOf, state, tap } from "./store.js";
import { tableNow } from "./table_now.js";
import { teach } from "./teach.js";

const STAMPS = { legal: "tick", illegal: "cross", unsure: "query", wait: "eye" };
let heard = null;

// What stands on the card: a kind, a headline, a line, and the lines below.
function said() {
  const { verdict, turn, source } = state();
  const { last, wrong } = evening();
  if (turn.waiting_to)
    return {
      kind: "wait",
      headline: "One moment",
      advice: "The table is judged as soon as it lies still.",
      more: waitingLines,
    };
  if (verdict?.kind === "illegal" && wrong)
    return { kind: "illegal", headline: verdict.headline, advice: "", more: wrongLines };
  if (verdict?.kind === "unsure" && may("cancel"))
    return { kind: "unsure", headline: verdict.headline, advice: verdict.advice, more: doubtLines };
  if (verdict?.kind === "legal") return { kind: "legal", headline: verdict.headline, advice: last, more: legalLines };
  if (wrong)
    return { kind: "illegal", headline: "Not legal", advice: "Mend it and press Done, or draw.", more: wrongLines };
  const many = moreThanTheRack();
  if (many) return { kind: "wait", headline: "Has the game begun already?", advice: many, more: begunLines };
  return {
    kind: "wait",
    headline: source.kind === "none" ? "Your turn" : "Lay your tiles",
    advice: last,
    more: () => [],
  };
}

// More new tiles than the player has: a game that began without the app goes on from there, or a rack was miscounted.
function moreThanTheRack() {
  const { reading, settled } = state();
  const { players, player, table } = evening();
  const rack = players[player]?.rack ?? null;
  if (!reading?.trusted || !settled || rack === null || rack < 0 || !may("table")) return "";
  const lies = reading.tiles.filter((tile) => tile.there).length;
  return lies - table.flat().length > rack
    ? `${count(lies, "tile")} lie on the table, and ${nameOf(player)} had only ${rack} to lay.`
    : "";
}

const begunLines = () => [make("div", { class: "ways" }, button("Go on from this table", tableNow, "main"))];

export function drawVerdictCard() {
  const now = state();
  const card = said();
  const shows = [
    card.kind,
    card.headline,
    card.advice,
    now.verdict,
    now.turn.waiting_to,
    evening().may,
    maySteer(),
    lit,
    now.reading?.number,
  ];
  redraw(at("verdict"), shows, () => {
    at("verdict").dataset.kind = card.kind;
    if (at("stamp").dataset.icon !== STAMPS[card.kind]) {
      at("stamp").dataset.icon = STAMPS[card.kind];
      at("stamp").replaceChildren(icon(STAMPS[card.kind]));
    }
    at("headline").textContent = card.headline;
    at("advice").textContent = card.advice;
    at("more").replaceChildren(...card.more(now.verdict).filter(Boolean));
  });
  announce(card);
}

// A new verdict comes down like a stamp, is heard, and is read out.
function announce(card) {
  const caveat = card.kind in { legal: 1, illegal: 1 } && state().verdict?.caveat;
  const aloud = [
    card.kind,
    card.headline,
    card.advice,
    caveat,
    ...(state().verdict?.faults ?? []).map((fault) => fault.text),
  ]
    .filter(Boolean)
    .join(". ")
    .replaceAll("..", ".");
  if (aloud === heard) return;
  const first = heard === null;
  heard = aloud;
  if (first || card.kind === "wait") return;
  at("live").textContent = aloud.slice(card.kind.length + 2);
  at("stamp").classList.remove("pressed");
  void at("stamp").offsetWidth; // lets the animation start again
  at("stamp").classList.add("pressed");
  if (card.kind in { legal: 1, illegal: 1 }) ring(card.kind);
}

const waitingLines = () => [button("Play on", () => act("cancel"))];

function legalLines(verdict) {
  const placed =
    verdict.placed.length > 0 && make("div", { class: "placed" }, ...verdict.placed.map((tile) => tileElement(tile)));
  return [placed, ...caveatLines(verdict)];
}

function wrongLines(verdict) {
  const lines = verdict ? gathered(verdict.faults).map((fault) => faultLine(fault, lit.fault, lightFault)) : [];
  const { fix } = verdict ?? {};
  if (fix && fix.moves.length > 0) lines.push(fixLines(fix));
  lines.push(...caveatLines(verdict));
  if (verdict && !verdict.current && state().source.kind !== "none")
    lines.push(make("p", { class: "since" }, "The table has changed since. Press Done to judge it anew."));
  const ways = [
    may("stand") && button(takeBackWords(), () => act("stand")),
    may("overrule") && button("Overrule", overrule),
  ].filter(Boolean);
  lines.push(make("div", { class: "ways" }, ...ways));
  return lines;
}

// What it costs to leave the turn as it is, said before it is pressed.
function takeBackWords() {
  const { penalty } = evening().edition;
  return penalty > 0 ? `Take it back, draw ${penalty}` : "Take it back";
}

function fixLines(fix) {
  const moves = fix.moves.map((move, index) =>
    make(
      "li",
      {},
      make("span", { class: "number step" }, String(index + 1)),
      tileElement(move.tile),
      make("span", {}, move.text),
    ),
  );
  const says = fix.smallest ? `${count(fix.moves.length, "move")} would do:` : "This would do:";
  return make("div", { class: "fix" }, make("p", {}, says), make("ol", {}, ...moves));
}

function doubtLines(verdict) {
  const lines = verdict.questions.map((question) =>
    make(
      "div",
      { class: question.asks ? "question asks" : "question" },
      question.asks ? make("p", {}, question.asks) : null,
      make("img", {
        class: "crop",
        src: `/crop/${verdict.reading_number}/${question.tile}.jpg`,
        alt: "A doubtful tile",
      }),
      make("div", { class: "choices" }, ...question.choices.map((choice) => choiceButton(verdict, question, choice))),
    ),
  );
  const group = (rows) => tap("group", { reading: verdict.reading_number, rows });
  lines.push(
    ...verdict.groupings.map((question) => groupingLine(question, verdict.reading_number, group, !maySteer())),
  );
  const ways = [
    may("cancel") && button("Play on", () => act("cancel")),
    may("overrule") && button("Overrule", overrule),
  ];
  return [...lines, make("div", { class: "ways" }, ...ways.filter(Boolean))];
}

function choiceButton(verdict, question, choice) {
  const answer = () => teach("answer", { reading: verdict.reading_number, tile: question.tile, label: choice.label });
  return make(
    "button",
    { type: "button", class: "choice", disabled: !maySteer(), onclick: answer },
    choice.tile ? tileElement(choice.tile) : null,
    make("span", {}, choice.name),
  );
}

function lightFault(fault) {
  const again = lit.fault === fault.text;
  Object.assign(lit, {
    meld: null,
    fault: again ? null : fault.text,
    code: again || !fault.others ? null : fault.code,
  });
  drawVerdictCard();
  drawView();
}

export function overrule() {
  askReason(
    "Overrule",
    "What lies there stands, because the table says so. The reason is kept in the history.",
    "It stands",
    (reason) => act("overrule", { reason }),
  );
}
