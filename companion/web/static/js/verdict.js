// Says the verdict, or what to do next where there is none.
import { icon, make } from "./dom.js";
import { tileElement } from "./tiles.js";

const STAMPS = { legal: "tick", illegal: "cross", unsure: "query", unread: "eye", wait: "eye" };

// What stands on the slip: a kind, a headline and a line of advice.
export function slip(state) {
  const { reading, turn, verdict, source, picture } = state;
  const photos = source.kind === "photos";
  if (!picture && source.trouble) {
    return {
      kind: "unread",
      headline: photos ? "Can't open this photo" : "Can't see the table",
      advice: source.trouble,
    };
  }
  if (!picture) return { kind: "wait", headline: "Looking for the table", advice: "The first picture is on its way." };
  if (photos && !verdict && reading?.tiles.length === 0) {
    return { kind: "wait", headline: "No tiles here", advice: "There is nothing to judge on this photo." };
  }
  if (reading && !reading.judged)
    return { kind: "unread", headline: "Can't read the table", advice: sentence(reading.status) };
  if (!reading)
    return { kind: "wait", headline: "Looking for the table", advice: "It is read as soon as it lies still." };
  if (photos && !state.settled) return { kind: "wait", headline: "Reading", advice: "" };
  if (!turn.begun) {
    return {
      kind: "wait",
      headline: "Ready when you are",
      advice: "Start from the table as it lies before the first turn.",
    };
  }
  if (!verdict || (verdict.kind === "legal" && !verdict.current)) {
    return { kind: "wait", headline: `Turn ${turn.finished + 1}`, advice: "Lay your tiles, then press Done." };
  }
  return verdict;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

// Draws the slip; light(fault | null) is called when a fault is pointed at, answer(tile, label) when a person names a
// tile, group(rows) when a person says in which melds tiles lie.
export function drawVerdict(parts, state, lit, light, answer, group) {
  const said = slip(state);
  parts.card.dataset.kind = said.kind;
  const icons = STAMPS[said.kind];
  if (parts.stamp.dataset.icon !== icons) {
    parts.stamp.dataset.icon = icons;
    parts.stamp.replaceChildren(icon(icons));
  }
  parts.headline.textContent = said.headline;
  parts.advice.textContent = said.advice;
  parts.more.replaceChildren(...more(said, state, lit, light, answer, group));
}

function more(said, state, lit, light, answer, group) {
  const { verdict } = state;
  if (said !== verdict) {
    return verdict?.kind === "legal" && said.kind === "wait" && state.turn.begun && verdict.placed.length > 0
      ? [placed("Last turn:", verdict)]
      : [];
  }
  const lines = [];
  if (verdict.placed.length > 0 && verdict.kind === "legal") lines.push(placed("Laid:", verdict));
  lines.push(...gathered(verdict.faults).map((fault) => faultLine(fault, lit, light)));
  lines.push(...verdict.questions.map((question) => questionLine(question, state, answer)));
  lines.push(...verdict.groupings.map((question) => groupingLine(question, state.reading.number, group)));
  lines.push(...caveatLines(verdict));
  if (!verdict.current)
    lines.push(make("p", { class: "since" }, "The table has changed since. Press Done to judge it anew."));
  return lines;
}

// What the judge could not look into is said with the verdict, legal or not.
export const caveatLines = (verdict) => (verdict?.caveat ? [make("p", { class: "caveat" }, verdict.caveat)] : []);

function placed(word, verdict) {
  return make("div", { class: "placed" }, make("span", {}, word), ...verdict.placed.map((tile) => tileElement(tile)));
}

// Scattered tiles have all the same fault: one line says so for all of them.
const MANY = 4;
const MOST_NUMBERS = 3;

export function gathered(faults) {
  const byCode = Map.groupBy(faults, (fault) => fault.code);
  return [...byCode.values()].flatMap((same) =>
    same.length < MANY
      ? same
      : [
          {
            ...same[0],
            melds: same.flatMap((f) => f.melds),
            tiles: same.flatMap((f) => f.tiles),
            gone: same.flatMap((f) => f.gone),
            others: same.length - 1,
          },
        ],
  );
}

export function faultLine(fault, lit, light) {
  const others = fault.others ? make("small", {}, `and ${fault.others} more like this`) : null;
  const melds = [...new Set(fault.melds)]
    .slice(0, MOST_NUMBERS)
    .map((meld) => make("span", { class: "number" }, String(meld + 1)));
  return make(
    "button",
    {
      type: "button",
      class: `fault ${lit === fault.text ? "lit" : ""}`,
      "aria-pressed": lit === fault.text ? "true" : "false",
      onclick: () => light(fault),
    },
    melds.length > 0 ? make("span", { class: "numbers", "aria-hidden": "true" }, ...melds) : null,
    make("span", {}, ...[fault.text, others].filter(Boolean)),
  );
}

// Two pictures of the same tiles with their melds outlined; one tap says how they lie.
export function groupingLine(question, reading, group, disabled = false) {
  const ways = question.choices.map((way) => {
    const path = way.rows.map((row) => row.join(".")).join("-");
    const picture = make("img", {
      src: `/crop/${reading}/rows/${path}.jpg`,
      alt: way.melds.map((meld) => meld.map((tile) => tile.name).join(", ")).join("; "),
    });
    return make(
      "button",
      { type: "button", class: "choice way", disabled, onclick: () => group(way.rows) },
      picture,
      make("span", {}, way.name),
    );
  });
  return make("div", { class: "question grouping" }, make("p", {}, "These tiles lie in"), ...ways);
}

function questionLine(question, state, answer) {
  const meld = state.reading.melds.findIndex((row) => row.includes(question.tile));
  return make(
    "div",
    { class: "question" },
    make("p", {}, question.asks || (meld < 0 ? "This tile is" : `The marked tile in meld ${meld + 1} is`)),
    ...question.choices.map((choice) =>
      make(
        "button",
        { type: "button", class: "choice", onclick: () => answer(question.tile, choice.label) },
        choice.tile ? tileElement(choice.tile) : null,
        make("span", {}, choice.name),
      ),
    ),
  );
}

// The verdict in one breath, for those who hear the page.
export function spoken(state) {
  const said = slip(state);
  if (said !== state.verdict) return said.kind === "unread" ? `${said.headline}. ${said.advice}` : "";
  return [said.headline, said.advice, said.caveat, ...said.faults.map((fault) => fault.text)]
    .filter(Boolean)
    .join(". ")
    .replaceAll("..", ".");
}
