// Hints: a sentence about a button, after a long press (which then does nothing else), a right click, or "?" on the
// focused button. "?" without a focused button lists all visible buttons.

import { isDialogOpen, openDialog } from "./dialog.js";
import { byId, fill, make } from "./dom.js";
import { gettext } from "./language.js";

const LONG_MS = 500;
// A finger that moves further is scrolling.
const STILL_PX = 12;
const HINTED = "[data-hint]";

// Hidden from screen readers, since the page's live region reads the hint.
const card = make("div", { class: "tip", popover: "manual", "aria-hidden": "true" });
let timer = 0;
/** @type {PointerEvent | null} the press that may become a long one */
let pressed = null;
let isLong = false; // whether the present press has shown a hint, so that it must not click

/**
 * Gives a hint to an element.
 * @template {HTMLElement} Element
 * @param {Element} element
 * @param {string} hint one sentence
 */
export function hinted(element, hint) {
  element.dataset.hint = hint;
  return element;
}

export function wireHints() {
  document.body.append(card);
  document.addEventListener("pointerdown", begin, true);
  document.addEventListener("pointermove", moved, true);
  for (const end of ["pointerup", "pointercancel", "scroll"]) document.addEventListener(end, forget, true);
  document.addEventListener("click", swallow, true);
  document.addEventListener("contextmenu", (event) => {
    const element = hintedAt(event.target);
    if (!element) return;
    event.preventDefault();
    isLong = pressed !== null; // some browsers send this event after a long touch
    forget();
    show(element);
  });
  document.addEventListener("keydown", onKey, true);
  // After a long touch the button gets the focus, and the hint must stay readable.
  document.addEventListener("focusin", () => isLong || hide());
}

/** @param {EventTarget | null} target */
const hintedAt = (target) => (target instanceof Element ? /** @type {HTMLElement?} */ (target.closest(HINTED)) : null);

/** @param {PointerEvent} event */
function begin(event) {
  hide();
  isLong = false;
  const element = hintedAt(event.target);
  if (!element || event.button !== 0) return;
  pressed = event;
  timer = window.setTimeout(() => {
    isLong = true;
    show(element);
  }, LONG_MS);
}

/** @param {PointerEvent} event */
function moved({ clientX, clientY }) {
  if (pressed && Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) > STILL_PX) forget();
}

function forget() {
  clearTimeout(timer);
  pressed = null;
}

/** @param {MouseEvent} event */
function swallow(event) {
  if (!isLong) return;
  isLong = false;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  isLong = false;
  const isShown = card.matches(":popover-open");
  if (isShown) hide();
  if (event.key === "Escape" && isShown) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  if (event.key !== "?" || (event.target instanceof Element && event.target.closest("input, textarea"))) return;
  event.preventDefault();
  const element = hintedAt(document.activeElement);
  if (element) show(element);
  else if (!isDialogOpen()) listHints();
}

/** @param {HTMLElement} element */
const nameOf = (element) =>
  element.dataset.hintName ?? element.ariaLabel ?? (element.querySelector("span") ?? element).innerText.trim();

/** @param {HTMLElement} element */
function show(element) {
  const [name, hint] = [nameOf(element), element.dataset.hint ?? ""];
  fill(card, make("b", {}, name), make("span", {}, hint));
  card.showPopover();
  byId("live").textContent = `${name}: ${hint}`;
}

function hide() {
  if (card.matches(":popover-open")) card.hidePopover();
}

/** Opens a list of all visible buttons with their hints. */
export function listHints() {
  const visible = [...document.querySelectorAll(HINTED)].filter((element) => element.checkVisibility());
  const lines = /** @type {HTMLElement[]} */ (visible).flatMap((element) => [
    make("dt", {}, nameOf(element)),
    make("dd", {}, element.dataset.hint),
  ]);
  const { body } = openDialog(gettext("What the buttons do"), [
    make("p", { class: "hint" }, gettext("Press and hold a button for help.")),
    make("dl", { class: "tips" }, ...lines),
  ]);
  body.tabIndex = 0; // it has no control, so it needs the focus itself for scrolling with keys
}
