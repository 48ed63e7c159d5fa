// The table as drawn tiles, for a table without a camera. The tiles are as large as possible without scrolling.

import { byId, fill, make } from "../dom.js";
import { fitSize } from "../fit.js";
import { gettext } from "../language.js";
import { redraw } from "../redraw.js";
import { meldElements } from "../tiles.js";
import { gameNight, state } from "./store.js";

const [SMALLEST_PX, LARGEST_PX] = [9, 72];

export function wireDrawnTable() {
  new ResizeObserver(fitTiles).observe(byId("drawn"));
}

function fitTiles() {
  const mat = /** @type {HTMLElement | null} */ (byId("drawn").querySelector(".mat"));
  if (mat && mat.clientHeight > 0) fitSize(mat, "--tile", SMALLEST_PX, LARGEST_PX);
}

export function drawTable() {
  const { table, wrong } = gameNight();
  const { verdict } = state();
  const melds = wrong && verdict?.kind === "illegal" ? verdict.melds : table;
  const faulty = new Set(wrong && verdict ? verdict.faults.flatMap((fault) => fault.melds) : []);
  const drawn = byId("drawn");
  redraw(drawn, [melds, [...faulty]], () => {
    fill(
      drawn,
      make(
        "h2",
        { class: "mat-title" },
        wrong ? gettext("The table after the turn") : gettext("The table at the start of the turn"),
      ),
      melds.length === 0
        ? make("p", { class: "empty" }, gettext("It is empty."))
        : make("div", { class: "mat" }, ...meldElements(melds, (meld) => faulty.has(meld))),
    );
    fitTiles();
  });
}
