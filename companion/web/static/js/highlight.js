// The highlighted meld, tile or fault, tapped in the picture, in the list or on the card; a second tap clears it.

/** @typedef {Fault & { others?: number }} GatheredFault a fault, and the number of other faults with its code */

export const highlight = {
  /** @type {number | null} */
  meld: null,
  /** @type {number | null} the tile's index in the reading */
  tile: null,
  /** @type {string | null} the fault's text */
  fault: null,
  /** @type {string | null} the code, if all faults with this code are highlighted */
  code: null,
};

export function clearHighlight() {
  Object.assign(highlight, { meld: null, tile: null, fault: null, code: null });
}

/**
 * @param {number | null} meld
 * @param {number | null} tile
 */
export function toggleTile(meld, tile) {
  const wasLit = highlight.meld === meld && highlight.tile === tile;
  clearHighlight();
  if (!wasLit) Object.assign(highlight, { meld, tile });
}

/** @param {GatheredFault} fault */
export function toggleFault(fault) {
  const wasLit = highlight.fault === fault.text;
  clearHighlight();
  if (!wasLit) Object.assign(highlight, { fault: fault.text, code: fault.others ? fault.code : null });
}
