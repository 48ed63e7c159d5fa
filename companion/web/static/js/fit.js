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
 * Sets a custom property, in pixels, to the largest size at which an element's content fits (binary search).
 * @param {HTMLElement} element
 * @param {string} property
 * @param {number} least
 * @param {number} most
 */
export function fitSize(element, property, least, most) {
  let [low, high] = [least, most];
  /** @param {number} size */
  const fits = (size) => {
    element.style.setProperty(property, `${size}px`);
    return element.scrollHeight <= element.clientHeight + 1;
  };
  if (fits(high)) return;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  fits(low);
}
