// Rows of tiles that are put together by hand: a mark says where the next tile goes, and tiles can be picked up.
import { make } from "../dom.js";
import { tileElement } from "../tiles.js";

// rows is a list of lists of tiles; changed(rows) hears of every change. Gives { element, add, remove, rows }.
export function rowEditor(start, changed, { single = false, empty = "No tiles yet." } = {}) {
  let rows = start.map((row) => [...row]).filter((row) => row.length > 0);
  const endMark = () => ({ row: single ? 0 : rows.length, place: single ? (rows[0]?.length ?? 0) : 0 });
  let mark = endMark();
  let held = null; // the tile that is picked up
  const past = [];
  const element = make("div", { class: single ? "rows single" : "rows" });

  const keep = () => past.push(JSON.stringify(rows));
  const tidy = () => {
    const place = rows[mark.row];
    rows = rows.filter((row) => row.length > 0);
    const found = rows.indexOf(place);
    mark =
      found < 0
        ? { row: single ? 0 : rows.length, place: 0 }
        : { row: found, place: Math.min(mark.place, place.length) };
  };
  const now = () => {
    draw();
    changed(rows);
  };
  const replaceRows = (next) => {
    rows = next;
    held = null;
    mark = endMark();
    now();
  };
  const put = (tile, at) => {
    rows[at.row] ??= [];
    rows[at.row].splice(at.place, 0, tile);
    mark = { row: at.row, place: at.place + 1 };
  };
  const moveTo = (at) => {
    if (!held) {
      mark = at;
      return draw();
    }
    keep();
    const [tile] = rows[held.row].splice(held.place, 1);
    const earlier = held.row === at.row && held.place < at.place;
    put(tile, { row: at.row, place: at.place - (earlier ? 1 : 0) });
    held = null;
    tidy();
    now();
  };
  const pick = (row, place) => {
    if (held && (held.row !== row || held.place !== place)) return moveTo({ row, place });
    held = held ? null : { row, place };
    mark = { row, place: place + 1 };
    draw();
  };
  const add = (tile) => {
    keep();
    if (held)
      rows[held.row].splice(held.place, 1, tile); // a tile that is held is named anew
    else put(tile, mark);
    held = null;
    now();
  };
  const remove = () => {
    const at = held ?? (mark.place > 0 ? { row: mark.row, place: mark.place - 1 } : null);
    if (!at || !rows[at.row]) return;
    keep();
    rows[at.row].splice(at.place, 1);
    if (mark.row === at.row && mark.place > at.place) mark.place -= 1;
    held = null;
    tidy();
    now();
  };
  const back = () => {
    if (past.length === 0) return;
    replaceRows(JSON.parse(past.pop()));
  };
  const set = (next) => {
    keep();
    replaceRows(next.map((row) => [...row]));
  };

  function draw() {
    const drawn = rows.map((row, at) => rowElement(row, at));
    if (single && rows.length === 0) drawn.push(make("p", { class: "empty" }, empty));
    if (!single) drawn.push(newRow());
    element.replaceChildren(...drawn);
    element.querySelector(".caret")?.scrollIntoView({ block: "nearest" });
  }
  const caret = (row, place) =>
    !held && mark.row === row && mark.place === place ? [make("i", { class: "caret" })] : [];
  function rowElement(row, at) {
    const tiles = row.flatMap((tile, place) => [
      ...caret(at, place),
      make(
        "button",
        {
          type: "button",
          class: held?.row === at && held.place === place ? "pick held" : "pick",
          "aria-label": tile.name,
          "aria-pressed": String(held?.row === at && held.place === place),
          onclick: () => pick(at, place),
        },
        tileElement(tile),
      ),
    ]);
    const end = make("button", {
      type: "button",
      class: "row-end",
      "aria-label": held ? "Put it here" : "Go on here",
      onclick: () => moveTo({ row: at, place: row.length }),
    });
    return make(
      "div",
      { class: "entry-row", role: "group", "aria-label": `Meld ${at + 1}` },
      ...tiles,
      ...caret(at, row.length),
      end,
    );
  }
  function newRow() {
    const here = mark.row === rows.length && !held;
    return make(
      "button",
      {
        type: "button",
        class: here ? "new-row here" : "new-row",
        onclick: () => moveTo({ row: rows.length, place: 0 }),
      },
      here ? make("i", { class: "caret" }) : null,
      held ? "Put it here, as a new meld" : "New meld",
    );
  }

  draw();
  return {
    element,
    add,
    remove,
    back,
    set,
    rows: () => rows,
  };
}

export const textOf = (rows) =>
  rows
    .filter((row) => row.length > 0)
    .map((row) => row.map((tile) => tile.text).join(" "))
    .join(" | ");

// The rows of a text in the notation.
export function rowsFrom(edition, text, tileFrom) {
  return text
    .split("|")
    .map((row) =>
      row
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => tileFrom(edition, word)),
    )
    .filter((row) => row.length > 0);
}
