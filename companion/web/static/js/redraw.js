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
  const focused = focusedIn(element);
  draw();
  if (focused) focusAgain(element, focused);
}

const FOCUSABLE = "button, input, select, summary, a[href], [tabindex]";

/** @typedef {{ name: string, place: number, of: number }} Focused the focused element, to find its successor */

/** @param {Element} element */
const nameOf = (element) => element.ariaLabel ?? element.getAttribute("title") ?? element.textContent;

/**
 * @param {Element} element
 * @returns {Focused | null}
 */
function focusedIn(element) {
  const focused = document.activeElement;
  if (!focused || focused === element || !element.contains(focused)) return null;
  const all = [...element.querySelectorAll(FOCUSABLE)];
  return { name: nameOf(focused), place: all.indexOf(focused), of: all.length };
}

/**
 * Gives the focus to the element with the same name, or else to the element in the same place.
 * @param {Element} element
 * @param {Focused} focused
 */
function focusAgain(element, { name, place, of }) {
  if (focusedIn(element)) return;
  const all = /** @type {HTMLElement[]} */ ([...element.querySelectorAll(FOCUSABLE)]);
  const same = all.find((one) => nameOf(one) === name) ?? (all.length === of ? all[place] : undefined);
  same?.focus({ preventScroll: true });
}

/** @param {Element} element */
export const forgetDrawn = (element) => drawn.delete(element);
