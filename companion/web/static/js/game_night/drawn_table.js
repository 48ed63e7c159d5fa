// The table as drawn tiles, for a table without a camera. The tiles are as large as possible without scrolling.

import { byId, fill, make } from "../dom.js";
import { fitSize } from "../fit.js";
import { gettext } from "../language.js";
import { redraw } from "../redraw.js";
import { meldElements } from "../tiles.js";
import { fixSteps } from "./fix.js";
import { gameNight, state } from "./store.js";

const [SMALLEST_PX, LARGEST_PX] = [9, 110];
// Smaller tiles are hard to read across a table; if the moves of a fix would make them smaller, the moves are left out.
const SMALLEST_BESIDE_FIX_PX = 40;

export function wireDrawnTable() {
  new ResizeObserver(fitTiles).observe(byId("drawn"));
}

/** Draws the tiles as large as they fit; the moves of a fix stand below them where there is room. */
function fitTiles() {
  const mat = /** @type {HTMLElement | null} */ (byId("drawn").querySelector(".mat"));
  const fix = byId("drawn").querySelector(".fix");
  if (!mat || byId("drawn").clientHeight === 0) return;
  fix?.classList.remove("left-out");
  fitSize(mat, "--tile", SMALLEST_PX, LARGEST_PX);
  if (!fix || (Number.parseFloat(mat.style.getPropertyValue("--tile")) >= SMALLEST_BESIDE_FIX_PX && fits(mat))) return;
  fix.classList.add("left-out");
  fitSize(mat, "--tile", SMALLEST_PX, LARGEST_PX);
}

/** @param {HTMLElement} mat */
const fits = (mat) => mat.clientHeight > 0 && mat.scrollHeight <= mat.clientHeight + 1;

export function drawTable() {
  const { table, wrong } = gameNight();
  const { verdict } = state();
  const melds = wrong && verdict?.kind === "illegal" ? verdict.melds : table;
  const faulty = new Set(wrong && verdict ? verdict.faults.flatMap((fault) => fault.melds) : []);
  const fix = wrong && verdict?.kind === "illegal" ? verdict.fix : null;
  const drawn = byId("drawn");
  redraw(drawn, [melds, [...faulty], fix], () => {
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
      fix && fixSteps(fix),
    );
    fitTiles();
  });
}
