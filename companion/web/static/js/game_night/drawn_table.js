// The table as drawn tiles: all there is to see where no camera looks, and the way into entering it.
import { at, fill, make } from "../dom.js";
import { redraw } from "../redraw.js";
import { tileElement } from "../tiles.js";
import { enterTable } from "./enter_table.js";
import { evening, may, state } from "./store.js";

export function drawTable() {
  const { table, wrong } = evening();
  const { verdict } = state();
  const melds = wrong && verdict?.kind === "illegal" ? verdict.melds : table;
  const faulty = new Set(wrong && verdict ? verdict.faults.flatMap((fault) => fault.melds) : []);
  redraw(at("drawn"), [melds, [...faulty], may("done")], () => {
    const tiles = melds.flat().length;
    at("drawn").style.setProperty("--tile", tiles <= 30 ? "52px" : tiles <= 60 ? "44px" : "36px");
    fill(
      at("drawn"),
      make("h2", { class: "mat-title" }, wrong ? "The table as it was laid" : "The table at the start of the turn"),
      melds.length === 0
        ? make("p", { class: "empty" }, "It is empty.")
        : make(
            "div",
            { class: "mat" },
            ...melds.map((meld, at) =>
              make(
                "span",
                { class: faulty.has(at) ? "meld faulty" : "meld" },
                make("span", { class: "row" }, ...meld.map((tile) => tileElement(tile))),
              ),
            ),
          ),
      make(
        "button",
        { type: "button", class: "button large", disabled: !may("done"), onclick: () => enterTable("done") },
        "Enter what was laid",
      ),
    );
  });
}
