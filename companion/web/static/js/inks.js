// The inks of drawn tiles on this tablet: as printed, or farther apart for eyes that tell fewer hues apart.

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
