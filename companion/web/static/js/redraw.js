// Draws a part of the page only if its data has changed, so that a finger or a screen reader keeps its place.

/** @type {WeakMap<Element, string>} */
const drawn = new WeakMap();

/**
 * Calls `draw` if `shown` differs from the last call for this element.
 * @param {Element} element
 * @param {unknown} shown plain data
 * @param {() => void} draw
 */
export function redraw(element, shown, draw) {
  const text = JSON.stringify(shown);
  if (drawn.get(element) === text) return;
  drawn.set(element, text);
  draw();
}

/** @param {Element} element */
export const forgetDrawn = (element) => drawn.delete(element);
