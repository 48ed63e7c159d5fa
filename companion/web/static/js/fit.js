// Makes what is shown fit the room there is, since nothing may scroll while a turn is played.

/**
 * Leaves out the last of some elements until the others fit their parent.
 * @param {HTMLElement} parent
 * @returns {boolean} whether any was left out
 */
export function leaveOutWhatDoesNotFit(parent) {
  const children = [...parent.children];
  for (const child of children) child.classList.remove("left-out");
  for (const child of children.toReversed()) {
    if (parent.scrollHeight <= parent.clientHeight + 1) break;
    child.classList.add("left-out");
  }
  return children.some((child) => child.classList.contains("left-out"));
}

/**
 * Sets a size, a custom property in pixels, as large as lets an element's content fit it.
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
