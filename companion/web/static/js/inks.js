// The inks of drawn tiles on this tablet: as printed, or with more contrast for colour-blind people.

const KEY = "tilekeeper-inks";

export const areInksApart = () => localStorage.getItem(KEY) === "apart";

/** @param {boolean} apart */
export function setInksApart(apart) {
  localStorage.setItem(KEY, apart ? "apart" : "printed");
  showInks();
}

export function showInks() {
  document.documentElement.dataset.inks = areInksApart() ? "apart" : "printed";
}
