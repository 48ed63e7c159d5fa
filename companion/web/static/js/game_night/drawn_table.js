// The table as drawn tiles: all there is to show where no camera looks, and the way into entering it.
import { button } from "../dialog.js";
import { byId, fill, make } from "../dom.js";
import { redraw } from "../redraw.js";
import { meldElements } from "../tiles.js";
import { enterTable } from "./enter_table.js";
import { gameNight, may, state } from "./store.js";

export function drawTable() {
  const { table, wrong } = gameNight();
  const { verdict } = state();
  const melds = wrong && verdict?.kind === "illegal" ? verdict.melds : table;
  const faulty = new Set(wrong && verdict ? verdict.faults.flatMap((fault) => fault.melds) : []);
  const drawn = byId("drawn");
  redraw(drawn, [melds, [...faulty], may("done")], () => {
    const tiles = melds.flat().length;
    drawn.style.setProperty("--tile", tiles <= 30 ? "52px" : tiles <= 60 ? "44px" : "36px");
    const enter = button("Enter what was laid", () => enterTable("done"), "large");
    enter.disabled = !may("done");
    fill(
      drawn,
      make("h2", { class: "mat-title" }, wrong ? "The table as it was laid" : "The table at the start of the turn"),
      melds.length === 0
        ? make("p", { class: "empty" }, "It is empty.")
        : make("div", { class: "mat" }, ...meldElements(melds, (meld) => faulty.has(meld))),
      enter,
    );
  });
}
