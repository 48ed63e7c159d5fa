// The keyboard on the tile pad: one tab stop, arrow keys between the keys, and tiles typed as on paper: "r10".

import { inkLetter } from "../ink_letters.js";
import { hasModifier } from "../keys.js";

/** @typedef {{ ink: string, letter: string, keys: HTMLElement[] }} PadRow one colour */

// A digit typed later than this after the digit before begins another number.
const TYPED_MS = 1500;
const TYPES_TEXT = "input, textarea, select";

/**
 * @param {HTMLElement} pad
 * @param {PadRow[]} rows
 * @param {HTMLElement | null} joker
 * @param {(ink: string) => void} show shows a colour where only one is visible
 * @returns {(row: PadRow) => void} makes the first key of a row the tab stop
 */
export function wirePadKeys(pad, rows, joker, show) {
  const grid = [...rows.map(({ keys }) => keys), ...(joker ? [[joker]] : [])];
  let stop = grid[0][0];
  let digits = "";
  let typedMs = 0;
  /** @param {HTMLElement} key */
  const makeStop = (key) => {
    stop.tabIndex = -1;
    stop = key;
    stop.tabIndex = 0;
  };
  for (const key of grid.flat()) key.tabIndex = -1;
  makeStop(stop);
  pad.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && grid.flat().includes(target)) makeStop(target);
  });

  /**
   * @param {number} line
   * @param {number} place
   */
  const focusAt = (line, place) => {
    const keys = grid[Math.max(0, Math.min(grid.length - 1, line))];
    const row = rows.find((one) => one.keys === keys);
    if (row && !keys[0].checkVisibility()) show(row.ink);
    keys[Math.max(0, Math.min(keys.length - 1, place))].focus();
  };
  const place = () => {
    const line = grid.findIndex((keys) => keys.includes(stop));
    return { line, at: grid[line].indexOf(stop) };
  };
  /**
   * @param {string} key
   * @returns {boolean} whether the key moved the focus
   */
  const move = (key) => {
    const { line, at } = place();
    if (key === "ArrowRight") focusAt(line, at + 1);
    else if (key === "ArrowLeft") focusAt(line, at - 1);
    else if (key === "ArrowDown") focusAt(line + 1, at);
    else if (key === "ArrowUp") focusAt(line - 1, at);
    else if (key === "Home") focusAt(line, 0);
    else if (key === "End") focusAt(line, grid[line].length);
    else return false;
    return true;
  };
  /**
   * @param {string} key
   * @returns {boolean} whether the key is part of a tile's name
   */
  const type = (key) => {
    const isJoker = joker !== null && key === inkLetter(null).toLowerCase();
    const line = rows.findIndex(({ letter }) => letter === key);
    if (line >= 0) focusAt(line, 0);
    else if (isJoker) joker.focus();
    if (line >= 0 || isJoker) digits = "";
    else if (/^\d$/.test(key)) {
      const now = Math.min(place().line, rows.length - 1);
      const isLater = performance.now() - typedMs > TYPED_MS;
      digits = isLater || Number(digits + key) > rows[now].keys.length ? key : digits + key;
      typedMs = performance.now();
      if (Number(digits) > 0) focusAt(now, Number(digits) - 1);
    } else return false;
    typedMs = performance.now();
    return true;
  };
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (!pad.isConnected) {
      document.removeEventListener("keydown", onKey);
      return;
    }
    const { target, key } = event;
    const top = [...document.querySelectorAll("dialog[open]")].at(-1);
    if (hasModifier(event) || pad.closest("[inert]") || (top && !top.contains(pad))) return;
    if (target instanceof Element && target.matches(TYPES_TEXT)) return;
    const isOnKey = target instanceof HTMLElement && grid.flat().includes(target);
    if ((isOnKey && move(key)) || type(key.toLowerCase())) event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return (row) => makeStop(row.keys[0]);
}
