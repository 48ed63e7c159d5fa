// The drawings of where the camera stands: played one after the other, or all three as pictures.

import { buttonById, byId, fill, icon, make } from "../dom.js";
import { gettext } from "../language.js";

const ATTRIBUTE = "data-plays";
// Nothing moves for people who have asked their device for that.
const staysStill = matchMedia("(prefers-reduced-motion: reduce)");

export function playScenes() {
  const scenes = byId("scenes");
  const toggle = buttonById("play-scenes");
  /** @param {boolean} plays */
  const show = (plays) => {
    scenes.toggleAttribute(ATTRIBUTE, plays && !staysStill.matches);
    toggle.hidden = staysStill.matches;
    fill(toggle, icon(plays ? "pause" : "play"), make("span", {}, plays ? gettext("All pictures") : gettext("Play")));
  };
  toggle.addEventListener("click", () => show(!scenes.hasAttribute(ATTRIBUTE)));
  staysStill.addEventListener("change", () => show(false));
  scenes.lastElementChild?.previousElementSibling?.addEventListener("animationend", ({ target, currentTarget }) => {
    if (target === currentTarget) show(false);
  });
  show(true);
}
