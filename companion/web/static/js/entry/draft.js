// Keeps what was entered in this browser, through Escape, a reload and a lost connection.

/** @typedef {import("./rows.js").RowTile} RowTile */

/**
 * @param {string} name of the entry; it keeps one draft
 * @param {string} key what the draft is about: a draft with another key counts as none
 */
export function draftOf(name, key) {
  const item = `tilekeeper-entered-${name}`;
  return {
    /** @returns {RowTile[][] | null} */
    rows: () => {
      const [kept, rows] = JSON.parse(localStorage.getItem(item) ?? "[]");
      return kept === key && rows.length > 0 ? rows : null;
    },
    /** @param {RowTile[][]} rows */
    save: (rows) => localStorage.setItem(item, JSON.stringify([key, rows])),
    remove: () => localStorage.removeItem(item),
  };
}
