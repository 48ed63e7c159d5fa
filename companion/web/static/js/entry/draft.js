// Drafts: stores entered tiles in this browser, so that Escape, a reload or a lost connection does not lose them.

/** @typedef {import("./rows.js").RowTile} RowTile */
/** @typedef {ReturnType<typeof draftOf>} Draft */

/**
 * @param {string} name of the entry, which has one draft
 * @param {string} key what the draft is about, such as a round; a draft with another key is ignored
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
