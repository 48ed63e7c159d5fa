// Lists the melds as drawn tiles on the felt.
import { make } from "./dom.js";
import { tileElement } from "./tiles.js";

export function drawMelds(mat, state, marks, choose) {
  const { reading } = state;
  if (!reading || reading.melds.length === 0) {
    mat.replaceChildren(
      make("li", { class: "empty" }, reading ? "No tiles lie on the table." : "Nothing has been read yet."),
    );
    return;
  }
  // Few tiles are drawn large, a full table so that most of it is seen at once.
  const tiles = reading.melds.flat().length;
  mat.style.setProperty("--tile", tiles <= 26 ? "46px" : tiles <= 52 ? "40px" : "34px");
  mat.replaceChildren(
    ...reading.melds.map((row, meld) => {
      const faulty = marks.melds.has(meld);
      const classes = ["meld", faulty && "faulty", marks.lit === meld && "lit", row.length < 3 && "single"];
      const drawn = row.map((index) => {
        const tile = reading.tiles[index];
        const told = [
          tile.doubtful && "doubtful",
          marks.asked.has(index) && "asked",
          marks.tiles.has(index) && "faulty",
        ];
        return tileElement(tile, told.filter(Boolean).join(" "));
      });
      const names = row.map((index) => reading.tiles[index].name).join(", ");
      return make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: classes.filter(Boolean).join(" "),
            "aria-label": `Meld ${meld + 1}: ${names}${faulty ? ", not in order" : ""}`,
            "aria-pressed": marks.lit === meld ? "true" : "false",
            onclick: () => choose(meld, null),
          },
          make("span", { class: "number" }, String(meld + 1)),
          make("span", { class: "row" }, ...drawn),
        ),
      );
    }),
  );
}

export function drawBefore(details, mat, state) {
  details.hidden = !state.turn.begun || document.body.dataset.mode === "photos";
  mat.replaceChildren(
    ...(state.turn.before.length === 0
      ? [make("p", { class: "empty" }, "It was empty.")]
      : state.turn.before.map((meld) =>
          make("span", { class: "meld" }, make("span", { class: "row" }, ...meld.map((tile) => tileElement(tile)))),
        )),
  );
}
