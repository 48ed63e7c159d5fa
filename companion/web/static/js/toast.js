// One line at the foot of the page, which goes by itself; it may offer a way on.
import { at, make } from "./dom.js";

const SHOWN_MS = 4500;
const WITH_BUTTON_MS = 9000;
let timer = 0;

// offer is { text, act } for a button beside the line.
export function toast(text, offer = null) {
  const line = at("toast");
  const accept = () => {
    hide();
    offer.act();
  };
  const button = offer && make("button", { type: "button", onclick: accept }, offer.text);
  line.replaceChildren(...[make("span", {}, text), button].filter(Boolean));
  line.classList.add("up");
  clearTimeout(timer);
  timer = setTimeout(hide, offer ? WITH_BUTTON_MS : SHOWN_MS);
}

function hide() {
  at("toast").classList.remove("up");
}
