// The score sheet: rounds, totals, whether they add up, the chart, and what comes next.
import { fill, icon, make } from "../dom.js";
import { listed } from "../words.js";
import { chart } from "./chart.js";
import { button, openDialog } from "./dialog.js";
import { act, evening, may, tap } from "./store.js";

export const scoreShows = () => [
  evening().sheet,
  evening().players.map((player) => [player.name, player.away, player.stars]),
  evening().phase,
  evening().first_acquaintance,
  evening().may,
];

// The sheet, its checks and its chart.
export function scoreElements() {
  const { sheet, players, edition } = evening();
  const names = players.map((player) => player.name);
  if (sheet.rounds.length === 0)
    return [
      make("p", { class: "hint" }, evening().phase === "over" ? "No round was scored." : "No round is scored yet."),
    ];
  const points = (round, cells) =>
    cells.map((cell, seat) =>
      make("td", { class: round?.winners.includes(seat) ? "won" : cell.value < 0 ? "minus" : null }, cell.text),
    );
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, make("span", { class: "unseen" }, "Round")),
    ...names.map((name, seat) =>
      make("th", { scope: "col", class: `seat-${seat}` }, make("i", { class: "swatch" }), name),
    ),
  );
  const rounds = sheet.rounds.map((round, at) =>
    make("tr", {}, make("th", { scope: "row" }, String(at + 1)), ...points(round, round.points)),
  );
  const total = make(
    "tr",
    { class: "total" },
    make("th", { scope: "row" }, sheet.counts === "rounds-won" ? "Won" : "Total"),
    ...sheet.totals.map((cell, seat) =>
      make("td", { class: sheet.leaders.includes(seat) ? "leads" : null }, cell.text),
    ),
  );
  const table = make(
    "div",
    { class: "sheet-scroll" },
    make("table", { class: "score" }, make("thead", {}, head), make("tbody", {}, ...rounds), make("tfoot", {}, total)),
  );
  const checks = sheet.balance.map((line) =>
    make("p", { class: sheet.balanced ? "check" : "check wrong" }, icon(sheet.balanced ? "tick" : "cross"), line),
  );
  const unit = edition.stars
    ? make("p", { class: "hint" }, "Stars after each round; all stars go back, and rounds won are counted.")
    : null;
  return [
    evening().phase === "over" ? null : make("p", { class: "leads" }, sheet.leads),
    table,
    ...checks,
    unit,
    chart(sheet.running, names),
  ].filter(Boolean);
}

// The panel at the end of a round, and of the evening.
export function drawScore(panel, goOn) {
  const { phase, sheet, players, first_acquaintance: first } = evening();
  const over = phase === "over";
  const last = sheet.rounds.at(-1);
  const names = (seats) => listed(seats.map((seat) => players[seat].name));
  const best = first && over ? Math.max(...players.map((player) => player.stars ?? 0)) : 0;
  const stars =
    first && over
      ? players.map((player) =>
          make(
            "li",
            { class: player.stars === best ? "best" : null },
            make("b", {}, player.name),
            icon("star"),
            String(player.stars ?? 0),
          ),
        )
      : [];
  const title = over
    ? sheet.leaders.length > 0
      ? `${names(sheet.leaders)} ${sheet.leaders.length > 1 ? "win" : "wins"} the evening`
      : "The evening is over"
    : last
      ? `${names(last.winners)} ${last.winners.length > 1 ? "win" : "wins"} round ${sheet.rounds.length}`
      : "The score";
  fill(
    panel,
    make("p", { class: "eyebrow" }, over ? "The final score" : `After round ${sheet.rounds.length}`),
    make("h2", {}, title),
    ...(stars.length > 0 ? [make("ul", { class: "star-board" }, ...stars)] : scoreElements()),
    make(
      "div",
      { class: "ways" },
      ...exports(),
      may("end") && !over ? button("End the evening here", () => act("end")) : null,
      over
        ? make("a", { class: "button main large", href: "/setup" }, "Another evening")
        : button("Next round", goOn, "main large free"),
    ),
  );
}

const exports = () => [
  make("a", { class: "button", href: "/api/evening/sheet.csv", download: "" }, "Sheet (CSV)"),
  make("a", { class: "button", href: "/api/evening/export.jsonl", download: "" }, "Game (JSON Lines)"),
];

export function openScore() {
  openDialog("Score sheet", scoreElements(), { wide: true, foot: exports() });
}

export const leave = async () => (await tap("evenings/leave")) && location.assign("/setup");
