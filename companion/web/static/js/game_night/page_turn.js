// Turns the page of this tablet upside down, for the player opposite.
import { byId } from "../dom.js";

export function wirePageTurn() {
  const button = byId("turn-page");
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(document.documentElement.classList.toggle("turned")));
  });
}
