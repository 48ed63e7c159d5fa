// Fits content into its element, since nothing may scroll while a turn is being played.

/**
 * Hides each child of an element for which there is no room beside the children before it.
 * @param {HTMLElement} parent
 */
export function leaveOutWhatDoesNotFit(parent) {
  const children = [...parent.children];
  for (const child of children) child.classList.add("left-out");
  for (const child of children) {
    child.classList.remove("left-out");
    if (parent.scrollHeight > parent.clientHeight + 1) child.classList.add("left-out");
  }
}

/**
 * Sets a custom property, in whole pixels, to the largest size at which an element's content fits.
 *
 * Each try is a layout of all tiles, 12 ms on a laptop for 60 of them. The area of the content grows with the square of
 * the size, so the size is found after four or five tries, where a binary search needs eight.
 * @param {HTMLElement} element
 * @param {string} property
 * @param {number} least
 * @param {number} most
 */
export function fitSize(element, property, least, most) {
  /** @param {number} size */
  const set = (size) => element.style.setProperty(property, `${size}px`);
  // `low` fits, or is the smallest size; `high` is too large.
  let [low, high, size, step] = [least, most + 1, most, 1];
  while (high - low > 1) {
    set(size);
    const share = (element.clientHeight + 1) / element.scrollHeight;
    if (share >= 1) [low, step] = [size, 2 * step];
    else [high, step] = [size, 1];
    const guess = share >= 1 ? low + step : Math.floor(high * Math.sqrt(share));
    size = Math.min(Math.max(guess, low + 1), high - 1);
  }
  set(low);
}

/**
 * Makes a named element a tab stop while it scrolls, so that the arrow keys can scroll it.
 * @param {HTMLElement} element
 */
export function letKeysScroll(element) {
  if (element.scrollHeight > element.clientHeight + 1) element.tabIndex = 0;
  else element.removeAttribute("tabindex");
}
