// Turns the page of this tablet upside down, for the player opposite; it stays so after a reload.
import { byId } from "../dom.js";

const KEY = "tilekeeper-turned";

export function wirePageTurn() {
  const button = byId("turn-page");
  /** @param {boolean} turned */
  const show = (turned) => {
    document.documentElement.classList.toggle("turned", turned);
    button.setAttribute("aria-pressed", String(turned));
  };
  show(sessionStorage.getItem(KEY) === "yes");
  button.addEventListener("click", () => {
    const turned = !document.documentElement.classList.contains("turned");
    sessionStorage.setItem(KEY, turned ? "yes" : "no");
    show(turned);
  });
}
