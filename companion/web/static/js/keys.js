// Helpers for the page's own keys.
const INTERACTIVE = "button, input, summary, a, select, textarea, [role=switch]";

/**
 * Whether a key was pressed with a modifier, which makes it a shortcut of the browser.
 * @param {KeyboardEvent} event
 */
export const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/**
 * Whether the focused element uses the space bar itself.
 * @param {Event} event
 */
export const isOnControl = (event) => event.target instanceof Element && event.target.closest(INTERACTIVE) !== null;

// Removes the focus after a tap or click, so that the space bar does not press the same button again.
export function releaseFocus() {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement) activeElement.blur();
}
