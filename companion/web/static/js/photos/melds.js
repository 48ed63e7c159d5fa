// Lists the melds as drawn tiles.

import { byId, fill, make } from "../dom.js";
import { highlight } from "../highlight.js";
import { gettext } from "../language.js";
import { tileRow } from "../tiles.js";

/**
 * @param {State} state
 * @param {import("../marks.js").Marks} marks
 * @param {(meld: number) => void} choose
 */
export function drawMelds({ reading }, marks, choose) {
  const mat = byId("mat");
  if (!reading || reading.melds.length === 0) {
    fill(
      mat,
      make(
        "li",
        { class: "empty" },
        reading ? gettext("There are no tiles on the table.") : gettext("Nothing has been read yet."),
      ),
    );
    return;
  }
  // Few tiles are drawn large, many tiles small, so that most of the table is visible.
  const tiles = reading.melds.flat().length;
  mat.style.setProperty("--tile", tiles <= 26 ? "46px" : tiles <= 52 ? "40px" : "34px");
  fill(mat, ...reading.melds.map((row, meld) => make("li", {}, meldButton(reading, row, meld, marks, choose))));
}

/**
 * @param {Reading} reading
 * @param {number[]} row
 * @param {number} meld
 * @param {import("../marks.js").Marks} marks
 * @param {(meld: number) => void} choose
 */
function meldButton(reading, row, meld, marks, choose) {
  const faulty = marks.melds.has(meld);
  const lit = highlight.meld === meld;
  const tiles = row.map((index) => reading.tiles[index]);
  /** @param {number} index */
  const classesOf = (index) => [
    reading.tiles[index].doubtful && "doubtful",
    marks.asked.has(index) && "asked",
    marks.tiles.has(index) && "faulty",
  ];
  return make(
    "button",
    {
      type: "button",
      class: join(["meld", faulty && "faulty", lit && "lit", row.length < 3 && "single"]),
      "aria-pressed": String(lit),
      onclick: () => choose(meld),
    },
    make("span", { class: "number", "aria-hidden": "true" }, String(meld + 1)),
    make(
      "span",
      { class: "visually-hidden" },
      faulty ? gettext("Set {number}, wrong: ", { number: meld + 1 }) : gettext("Set {number}: ", { number: meld + 1 }),
    ),
    tileRow(tiles, (_, place) => join(classesOf(row[place]))),
  );
}

/** @param {(string | false)[]} classes */
const join = (classes) => classes.filter(Boolean).join(" ");
