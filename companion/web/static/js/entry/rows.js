// An editor for rows of tiles: a mark shows where the next tile goes, and tiles can be picked up and moved.

import { make } from "../dom.js";
import { fitSize } from "../fit.js";
import { gettext } from "../language.js";
import { tileElement } from "../tiles.js";

// With many tiles they are drawn smaller, so that the whole table is visible.
const [SMALLEST_PX, LARGEST_PX] = [28, 40];

/** @typedef {{ row: number, place: number }} Place */

/**
 * @typedef {object} RowEditor
 * @property {HTMLElement} element
 * @property {(tile: Tile) => void} add puts a tile at the mark, or replaces the picked-up tile
 * @property {() => void} remove removes the picked-up tile, or the one before the mark
 * @property {() => void} undo
 * @property {(rows: Tile[][]) => void} set
 * @property {() => Tile[][]} rows
 */

/**
 * @param {Tile[][]} start
 * @param {(rows: Tile[][]) => void} changed called after each change
 * @param {object} [options]
 * @param {boolean} [options.single] one row for all tiles, as on a rack
 * @param {string} [options.empty] the text of an empty single row
 * @returns {RowEditor}
 */
export function rowEditor(start, changed, { single = false, empty = gettext("No tiles yet.") } = {}) {
  let rows = start.map((row) => [...row]).filter((row) => row.length > 0);
  const endMark = () => ({ row: single ? 0 : rows.length, place: single ? (rows[0]?.length ?? 0) : 0 });
  /** @type {Place} */
  let mark = endMark();
  /** @type {Place | null} the picked-up tile */
  let picked = null;
  /** @type {string[]} */
  const past = [];
  const element = make("div", { class: single ? "rows single" : "rows" });

  const remember = () => past.push(JSON.stringify(rows));
  // Removes empty rows; the mark stays in its row if that still exists.
  const tidy = () => {
    const marked = rows[mark.row];
    rows = rows.filter((row) => row.length > 0);
    const row = rows.indexOf(marked);
    mark = row < 0 ? { row: single ? 0 : rows.length, place: 0 } : { row, place: Math.min(mark.place, marked.length) };
  };
  const finish = () => {
    picked = null;
    draw();
    changed(rows);
  };
  /** @param {Tile[][]} next */
  const replaceRows = (next) => {
    rows = next;
    mark = endMark();
    finish();
  };
  /**
   * @param {Tile} tile
   * @param {Place} to
   */
  const insert = (tile, to) => {
    rows[to.row] ??= [];
    rows[to.row].splice(to.place, 0, tile);
    mark = { row: to.row, place: to.place + 1 };
  };
  /**
   * Moves the picked-up tile, or else the mark.
   * @param {Place} to
   */
  const moveTo = (to) => {
    if (!picked) {
      mark = to;
      draw();
      return;
    }
    remember();
    const [tile] = rows[picked.row].splice(picked.place, 1);
    const earlier = picked.row === to.row && picked.place < to.place;
    insert(tile, { row: to.row, place: to.place - (earlier ? 1 : 0) });
    tidy();
    finish();
  };
  /** @param {Place} at */
  const isPicked = (at) => picked !== null && picked.row === at.row && picked.place === at.place;
  /** @param {Place} at */
  const pick = (at) => {
    if (picked && !isPicked(at)) {
      moveTo(at);
      return;
    }
    picked = picked ? null : at;
    mark = { row: at.row, place: at.place + 1 };
    draw();
  };
  /** @param {Tile} tile */
  const add = (tile) => {
    remember();
    if (picked) rows[picked.row].splice(picked.place, 1, tile);
    else insert(tile, mark);
    finish();
  };
  const remove = () => {
    const at = picked ?? (mark.place > 0 ? { row: mark.row, place: mark.place - 1 } : null);
    if (!at || !rows[at.row]) return;
    remember();
    rows[at.row].splice(at.place, 1);
    if (mark.row === at.row && mark.place > at.place) mark.place -= 1;
    tidy();
    finish();
  };
  const undo = () => {
    const last = past.pop();
    if (last !== undefined) replaceRows(JSON.parse(last));
  };
  /** @param {Tile[][]} next */
  const set = (next) => {
    remember();
    replaceRows(next.map((row) => [...row]));
  };

  function draw() {
    const drawn = rows.map(rowElement);
    if (single && rows.length === 0) drawn.push(make("p", { class: "empty" }, empty));
    if (!single) drawn.push(newRow());
    element.replaceChildren(...drawn);
    fitTiles();
  }
  function fitTiles() {
    if (element.clientHeight > 0) fitSize(element, "--tile", SMALLEST_PX, LARGEST_PX);
    element.querySelector(".caret")?.parentElement?.scrollIntoView({ block: "nearest" });
  }
  /**
   * @param {number} row
   * @param {number} place
   */
  const caret = (row, place) =>
    !picked && mark.row === row && mark.place === place ? make("i", { class: "caret" }) : null;
  /**
   * @param {Tile} tile
   * @param {Place} at
   */
  const tileButton = (tile, at) =>
    make(
      "button",
      {
        type: "button",
        class: isPicked(at) ? "pick held" : "pick",
        "aria-label": tile.name,
        "aria-pressed": String(isPicked(at)),
        onclick: () => pick(at),
      },
      tileElement(tile),
    );
  /**
   * @param {Tile[]} tiles
   * @param {number} row
   * @returns {HTMLElement}
   */
  function rowElement(tiles, row) {
    const end = make("button", {
      type: "button",
      class: "row-end",
      "aria-label": picked ? gettext("Put it here") : gettext("Go on here"),
      onclick: () => moveTo({ row, place: tiles.length }),
    });
    return make(
      "div",
      { class: "entry-row", role: "group", "aria-label": gettext("Set {number}", { number: row + 1 }) },
      ...tiles.flatMap((tile, place) => [caret(row, place), tileButton(tile, { row, place })]),
      caret(row, tiles.length),
      end,
    );
  }
  function newRow() {
    const here = mark.row === rows.length && !picked;
    return make(
      "button",
      {
        type: "button",
        class: here ? "new-row here" : "new-row",
        onclick: () => moveTo({ row: rows.length, place: 0 }),
      },
      here ? make("i", { class: "caret" }) : null,
      picked ? gettext("Put it here, as a new set") : gettext("New set"),
    );
  }

  draw();
  new ResizeObserver(fitTiles).observe(element);
  return { element, add, remove, undo, set, rows: () => rows };
}
