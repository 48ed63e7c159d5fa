// What somebody has pointed at in the picture, in the list of melds or on the card; pointing at it again lets it go.

/** @typedef {Fault & { others?: number }} GatheredFault a fault, and how many more there are like it */

export const highlight = {
  /** @type {number | null} */
  meld: null,
  /** @type {number | null} the tile's index in the reading */
  tile: null,
  /** @type {string | null} the fault's text */
  fault: null,
  /** @type {string | null} the fault's code, where all faults with it are meant */
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
  const again = highlight.meld === meld && highlight.tile === tile;
  clearHighlight();
  if (!again) Object.assign(highlight, { meld, tile });
}

/** @param {GatheredFault} fault */
export function toggleFault(fault) {
  const again = highlight.fault === fault.text;
  clearHighlight();
  if (!again) Object.assign(highlight, { fault: fault.text, code: fault.others ? fault.code : null });
}
