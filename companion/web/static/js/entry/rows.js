// An editor for rows of tiles: a mark shows where the next tile goes, and tiles can be picked up and moved.

import { make } from "../dom.js";
import { fitSize } from "../fit.js";
import { gettext } from "../language.js";
import { tileElement } from "../tiles.js";

// With many tiles they are drawn smaller, so that the whole table is visible.
const [SMALLEST_PX, LARGEST_PX] = [28, 40];
// Where there is much room, the tiles of a rack are drawn larger.
const [WIDE_PX, LARGEST_WIDE_PX] = [560, 56];
// The space that a row needs besides its tiles: at its sides, and per tile.
const [AT_SIDES_PX, AT_TILE_PX] = [36, 5];
const AROUND_PX = 8;

/** @typedef {Tile & { doubtful?: boolean }} RowTile */
/** @typedef {{ row: number, place: number, isNewRow?: boolean }} Place with `isNewRow` a new row before `row` */

/**
 * @typedef {object} RowEditor
 * @property {HTMLElement} element
 * @property {(tile: RowTile) => void} add puts a tile at the mark, or replaces the picked-up tile by it
 * @property {() => void} remove removes the picked-up tile, or else the tile before the mark
 * @property {(at: Place) => void} pick picks up a tile, or puts it down
 * @property {(at: Place) => void} moveTo moves the picked-up tile, or else the mark
 * @property {(shown: boolean) => void} showGaps shows a button at each place where a tile can be added
 * @property {() => void} focus focuses the tile before the mark
 * @property {() => void} undo
 * @property {(rows: RowTile[][]) => void} set
 * @property {() => RowTile[][]} rows
 * @property {() => Place | null} picked the picked-up tile
 * @property {() => boolean} isPlaced whether a person has chosen the place of the mark
 */

/**
 * @param {RowTile[][]} start
 * @param {() => void} changed called after each change; of a rack also after each change of mark or picked-up tile
 * @param {object} [options]
 * @param {boolean} [options.rack] the rows of a rack: a tap selects another tile instead of moving one there
 * @param {string} [options.empty] the text of an empty rack
 * @returns {RowEditor}
 */
export function rowEditor(start, changed, { rack = false, empty = gettext("No tiles yet.") } = {}) {
  let rows = start.map((row) => [...row]).filter((row) => row.length > 0);
  const endMark = () => {
    const last = Math.max(0, rows.length - 1);
    return rack ? { row: last, place: rows[last]?.length ?? 0 } : { row: rows.length, place: 0 };
  };
  /** @type {Place} */
  let mark = endMark();
  let isPlaced = false;
  let isFresh = rack; // whether nobody has changed the rows yet; then the first row is visible
  let hasGaps = false;
  /** @type {Place | null} the picked-up tile */
  let picked = null;
  /** @type {string[]} */
  const past = [];
  const element = make("div", { class: rack ? "rows rack" : "rows" });

  const remember = () => {
    isFresh = false;
    past.push(JSON.stringify(rows));
  };
  // Removes empty rows; the mark stays in its row if that still exists.
  const tidy = () => {
    const marked = rows[mark.row];
    rows = rows.filter((row) => row.length > 0);
    const row = rows.indexOf(marked);
    mark = row < 0 ? endMark() : { row, place: Math.min(mark.place, marked.length) };
  };
  const finish = () => {
    picked = null;
    isPlaced = false;
    draw();
    changed();
  };
  /** @param {RowTile[][]} next */
  const replaceRows = (next) => {
    rows = next;
    mark = endMark();
    isFresh = rack;
    finish();
  };
  /**
   * @param {RowTile} tile
   * @param {Place} to
   */
  const insert = (tile, to) => {
    if (to.isNewRow) rows.splice(to.row, 0, []);
    rows[to.row] ??= [];
    rows[to.row].splice(to.place, 0, tile);
    mark = { row: to.row, place: to.place + 1 };
  };
  /**
   * Moves the picked-up tile, or else the mark.
   * @param {Place} to
   */
  const moveTo = (to) => {
    if (!picked || rack) {
      picked = null;
      mark = to;
      isPlaced = rack;
      draw();
      if (rack) changed();
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
    if (picked && !isPicked(at) && !rack) {
      moveTo(at);
      return;
    }
    picked = isPicked(at) ? null : at;
    isPlaced = false;
    mark = { row: at.row, place: at.place + 1 };
    draw();
    if (rack) changed();
  };
  /** @param {RowTile} tile */
  const add = (tile) => {
    remember();
    if (picked) rows[picked.row][picked.place] = { ...rows[picked.row][picked.place], ...tile, doubtful: false };
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
  /** @param {RowTile[][]} next */
  const set = (next) => {
    remember();
    replaceRows(next.map((row) => [...row]));
  };

  const buttons = () => /** @type {HTMLElement[]} */ ([...element.querySelectorAll("button")]);
  function draw() {
    const drawn = rows.map(rowElement);
    if (rack && rows.length === 0) drawn.push(make("p", { class: "empty" }, empty));
    if (!rack || (hasGaps && rows.length > 0)) drawn.push(newRow());
    // With a keyboard, the focus stays at the same button.
    const focused = buttons().indexOf(/** @type {HTMLElement} */ (document.activeElement));
    element.replaceChildren(...drawn);
    if (focused >= 0) buttons()[Math.min(focused, buttons().length - 1)]?.focus({ preventScroll: true });
    fitTiles();
  }
  /** @param {boolean} shown */
  const showGaps = (shown) => {
    hasGaps = shown;
    draw();
  };
  const focus = () => {
    const picks = [...(element.children[mark.row]?.querySelectorAll(".pick") ?? [])];
    const before = picks[Math.max(0, mark.place - 1)];
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  function fitTiles() {
    if (element.clientHeight > 0) fitSize(element, "--tile", SMALLEST_PX, rack ? largestOfRack() : LARGEST_PX);
    const here = isPlaced || picked ? ".held, .caret, .gap.here" : isFresh ? ".pick:has(.doubtful)" : ".caret";
    const shown = element.querySelector(here)?.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    // Scroll these rows alone, and not the dialog around them.
    if (shown && shown.top < box.top) element.scrollTop -= box.top - shown.top + AROUND_PX;
    else if (shown && shown.bottom > box.bottom) element.scrollTop += shown.bottom - box.bottom + AROUND_PX;
  }
  // A row of a rack stays in one line if it can.
  const largestOfRack = () => {
    const most = element.clientWidth >= WIDE_PX ? LARGEST_WIDE_PX : LARGEST_PX;
    const longest = Math.max(1, ...rows.map((row) => row.length));
    const inLine = Math.floor((element.clientWidth - AT_SIDES_PX) / longest) - AT_TILE_PX;
    return inLine < SMALLEST_PX ? most : Math.min(most, inLine);
  };
  /**
   * @param {number} row
   * @param {number} place
   */
  const isMarked = (row, place) => !picked && !mark.isNewRow && mark.row === row && mark.place === place;
  /**
   * @param {number} row
   * @param {number} place
   */
  const caret = (row, place) => (isMarked(row, place) ? make("i", { class: "caret" }) : null);
  /**
   * The place before a tile, or after the last one: a button that chooses it, or the mark.
   * @param {RowTile[]} tiles
   * @param {number} row
   * @param {number} place
   */
  const gap = (tiles, row, place) =>
    hasGaps
      ? make(
          "button",
          {
            type: "button",
            class: isPlaced && isMarked(row, place) ? "gap here" : "gap",
            "aria-label": tiles[place]
              ? gettext("Add a tile before {tile}", { tile: tiles[place].name })
              : gettext("Add a tile at the end of row {number}", { number: row + 1 }),
            onclick: () => moveTo({ row, place }),
          },
          "+",
        )
      : caret(row, place);
  /**
   * @param {RowTile} tile
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
      tileElement(tile, rack && tile.doubtful ? "doubtful" : ""),
    );
  /**
   * @param {RowTile[]} tiles
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
    const name = rack ? gettext("Row {number}", { number: row + 1 }) : gettext("Set {number}", { number: row + 1 });
    return make(
      "div",
      { class: "entry-row", role: "group", "aria-label": name },
      ...tiles.flatMap((tile, place) => [gap(tiles, row, place), tileButton(tile, { row, place })]),
      gap(tiles, row, tiles.length),
      hasGaps ? null : end,
    );
  }
  function newRow() {
    const here = (mark.isNewRow || mark.row === rows.length) && !picked;
    return make(
      "button",
      {
        type: "button",
        class: here ? "new-row here" : "new-row",
        onclick: () => moveTo({ row: rows.length, place: 0 }),
      },
      here ? make("i", { class: "caret" }) : null,
      rack ? gettext("New row") : picked ? gettext("Put it here, as a new set") : gettext("New set"),
    );
  }

  draw();
  new ResizeObserver(fitTiles).observe(element);
  return {
    ...{ element, add, remove, pick, moveTo, showGaps, focus, undo, set },
    rows: () => rows,
    picked: () => picked,
    isPlaced: () => isPlaced,
  };
}
