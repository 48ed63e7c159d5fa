// Which keys the page takes for itself, and how buttons leave them to it.
const INTERACTIVE = "button, input, summary, a, select, textarea, [role=switch]";

/**
 * Whether a key was pressed with another that makes it the browser's.
 * @param {KeyboardEvent} event
 */
export const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/**
 * Whether what has the focus takes the space bar itself.
 * @param {Event} event
 */
export const isOnControl = (event) => event.target instanceof Element && event.target.closest(INTERACTIVE) !== null;

// A button that was pressed with a finger or mouse must not keep the space bar to itself.
export function releaseFocus() {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement) activeElement.blur();
}
