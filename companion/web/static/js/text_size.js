// The size of the text on this tablet, in three steps; the styles multiply all sizes in rem by it.

/** @typedef {"normal" | "large" | "largest"} TextSize */

const KEY = "tilekeeper-text";

/** @returns {TextSize} */
export function textSize() {
  const kept = localStorage.getItem(KEY);
  return kept === "large" || kept === "largest" ? kept : "normal";
}

/** @param {TextSize} size */
export function setTextSize(size) {
  localStorage.setItem(KEY, size);
  showTextSize();
}

export function showTextSize() {
  document.documentElement.dataset.text = textSize();
}
