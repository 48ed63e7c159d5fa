// A page of a hall: the hub sends its changing part as HTML, and forms are posted.
import { asRefusal, csrfHeader, Refusal } from "../api.js";
import { byId } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { toast, toastRefusal } from "../toast.js";

const part = byId("part");
/** @type {string | null} HTML that arrived while somebody was writing */
let waiting = null;
/** @type {Record<string, string>} pieces that arrived after that HTML */
let later = {};

/**
 * Replaces the pieces that have changed.
 * @param {Record<string, string>} pieces by their names
 */
function showPieces(pieces) {
  if (waiting !== null) later = { ...later, ...pieces };
  for (const [name, html] of Object.entries(pieces)) {
    const drawn = new DOMParser().parseFromString(html, "text/html");
    const piece = drawn.querySelector(`[data-piece="${name}"]`);
    if (piece) part.querySelector(`[data-piece="${name}"]`)?.replaceWith(piece);
  }
  if ("standings" in pieces) showPages(false);
}

/**
 * Returns whether somebody has begun to fill a form of the part; drawing the part anew would empty the form.
 * @param {HTMLFormElement | null | undefined} form the form with the focus
 */
function isBeingFilled(form) {
  if (!form || !part.contains(form)) return false;
  const chosen = [...form.querySelectorAll("select")].some(({ options, selectedIndex }) => {
    const first = Math.max(
      0,
      [...options].findIndex((option) => option.defaultSelected),
    );
    return selectedIndex !== first;
  });
  return chosen || [...form.querySelectorAll("input")].some((field) => field.value !== field.defaultValue);
}

/** @param {string} html from the hub, which escapes what people wrote */
function show(html) {
  if (isBeingFilled(document.activeElement?.closest("form"))) {
    waiting = html;
    later = {};
    return;
  }
  waiting = null;
  const openKeys = [...part.querySelectorAll("details[open]")].map(
    (details) => /** @type {HTMLElement} */ (details).dataset.key,
  );
  const drawn = new DOMParser().parseFromString(html, "text/html");
  for (const details of drawn.querySelectorAll("details")) details.open = openKeys.includes(details.dataset.key);
  part.replaceChildren(...drawn.body.childNodes);
  showPages(false);
}

function showWaiting() {
  if (waiting === null) return;
  show(waiting);
  if (waiting === null) showPieces(later);
}

function listen() {
  const stream = new EventSource(`/events?part=${part.dataset.part}`);
  stream.onmessage = (event) => {
    const { html, pieces, now } = JSON.parse(event.data);
    hubAheadS = now - Date.now() / 1000;
    if (pieces === undefined) show(html);
    else showPieces(pieces);
    showClocks();
  };
  stream.onopen = () => document.body.classList.remove("cut-off");
  stream.onerror = () => {
    document.body.classList.add("cut-off");
    // A browser gives up if the hub has too many listeners or does not answer for long.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  };
}

/** Seconds by which the hub's clock is ahead of this screen's. */
let hubAheadS = 0;
/** The limits in seconds of a yellow and a red clock, as the hub draws them. */
const SHORT_S = 20;
const LAST_S = 5;

/** Updates the running clocks of all tables. */
function showClocks() {
  for (const face of part.querySelectorAll("[data-ends]")) {
    const leftS = Number(/** @type {HTMLElement} */ (face).dataset.ends) - Date.now() / 1000 - hubAheadS;
    const whole = Math.floor(Math.abs(leftS));
    face.textContent = `${leftS <= -1 ? "-" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    face.className = `club-face ${leftS <= LAST_S ? "last" : leftS <= SHORT_S ? "short" : "plenty"}`;
  }
}
setInterval(showClocks, 500);

/** The element whose `data-plan` is the number of the plan that the page shows. */
const shownPlan = () => /** @type {HTMLElement | null} */ (part.querySelector("[data-plan]"));
const plan = () => Number(shownPlan()?.dataset.plan);

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
function bodyOf(form, button) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of form.querySelectorAll("[name]")) {
    const { name, value, dataset, type, checked } = /** @type {HTMLInputElement} */ (field);
    if (field instanceof HTMLButtonElement) continue;
    const given = type === "checkbox" ? checked : value;
    if ("list" in dataset) body[name] = [.../** @type {unknown[]} */ (body[name] ?? []), given];
    else if (type === "checkbox") body[name] = checked;
    else body[name] = "number" in dataset ? Number(value) : "flag" in dataset ? value !== "" : value;
  }
  if (button instanceof HTMLButtonElement && "clear" in button.dataset) body[button.name] = [];
  else if (button instanceof HTMLButtonElement && button.name) body[button.name] = button.value;
  if (button?.dataset.seconds) body.seconds = Number(button.dataset.seconds);
  if ("plan" in form.dataset) body.plan = Number(form.dataset.plan || plan());
  return body;
}

/**
 * @param {string} address
 * @param {BodyInit} body
 * @param {Record<string, string>} headers
 */
async function send(address, body, headers = {}) {
  const answer = await fetch(address, { method: "POST", headers: { ...csrfHeader(), ...headers }, body }).catch(() => {
    throw new Refusal(gettext("The app does not answer."), "unreachable");
  });
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(data.error ?? gettext("That did not work."), data.code);
  return data;
}

const settings = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-post='/api/settings']"));

/**
 * Takes over the hub's answer to a change by this page: the plan's new number, and the conflicts of a new pairing.
 * @param {number} before the plan that the page showed
 * @param {{ plan: number, conflicts?: string[] }} answer
 */
function takeAnswer(before, answer) {
  updatePlan(settings(), before, answer.plan);
  updatePlan(shownPlan(), before, answer.plan);
  if (answer.conflicts?.length) toast(answer.conflicts.join(" "));
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
async function press(form, button) {
  const before = plan();
  if (form.dataset.upload) {
    const file = /** @type {HTMLInputElement} */ (form.querySelector("[type=file]")).files?.[0];
    const query = queryOf(form);
    query.set("plan", String(before));
    const data = await send(`${form.dataset.upload}?${query}`, file ?? "", { "Content-Type": "text/csv" });
    form.querySelector("[data-preview]")?.replaceChildren();
    toast(ngettext("{count} player is entered.", "{count} players are entered.", data.entered));
    takeAnswer(before, data);
  } else {
    const body = JSON.stringify(bodyOf(form, button));
    const data = await send(form.dataset.post ?? "", body, { "Content-Type": "application/json" });
    takeAnswer(before, data);
    const box = form.closest("[data-fetched]");
    if (form === settings() || box) toast(gettext("Saved."));
    box?.replaceChildren();
    // The other fields of the form must show the settings of the chosen format.
    if (/** @type {HTMLSelectElement | null} */ (form.querySelector("[name=ready_made]"))?.value) {
      sessionStorage.setItem("told", gettext("Saved."));
      location.reload();
    }
  }
  if ("again" in form.dataset || part.contains(form)) form.reset();
  showWaiting();
  if ("reload" in form.dataset) location.reload();
}

/**
 * Returns the query of an upload: the form's choices of how to read the list of players.
 * @param {HTMLFormElement} form
 */
function queryOf(form) {
  return new URLSearchParams([...form.querySelectorAll("select")].map(({ name, value }) => [name, value]));
}

/**
 * Shows how a chosen list will be read; called again after each choice in the form.
 * @param {HTMLFormElement} form
 */
async function preview(form) {
  const box = /** @type {HTMLElement} */ (form.querySelector("[data-preview]"));
  const file = /** @type {HTMLInputElement} */ (form.querySelector("[type=file]")).files?.[0];
  if (!file) return box.replaceChildren();
  const headers = { ...csrfHeader(), "Content-Type": "text/csv" };
  await fillBox(box, `${box.dataset.preview}?${queryOf(form)}`, { method: "POST", headers, body: file });
}

/**
 * Shows the form that a form with `data-fetch` asks for.
 * @param {HTMLFormElement} form
 */
async function fetchForm(form) {
  const fields = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("[name]")]);
  const query = new URLSearchParams(fields.map(({ name, value }) => [name, value]));
  const box = /** @type {HTMLElement} */ (form.parentElement?.querySelector("[data-fetched]"));
  await fillBox(box, `${form.dataset.fetch}?${query}`);
}

/**
 * Fills a box with HTML from the hub, or empties it if the hub refuses.
 * @param {HTMLElement} box
 * @param {string} address
 * @param {RequestInit} [request]
 */
async function fillBox(box, address, request) {
  const answer = await fetch(address, request);
  const text = await answer.text();
  if (!answer.ok) {
    box.replaceChildren();
    throw new Refusal(JSON.parse(text).error ?? gettext("That did not work."), "refused");
  }
  const drawn = new DOMParser().parseFromString(text, "text/html");
  box.replaceChildren(...drawn.body.childNodes);
}

// Without this, a browser would report no change if the same file, corrected meanwhile, is chosen again.
document.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLInputElement && target.type === "file") target.value = "";
});
document.addEventListener("change", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const form = /** @type {HTMLFormElement | null} */ (field.closest("form[data-upload]"));
  if (!form) return;
  // Another file has other columns, so the preview with their choices is removed.
  if (field.type === "file") form.querySelector("[data-preview]")?.replaceChildren();
  preview(form).catch((why) => toastRefusal(asRefusal(why)));
});

/**
 * Sets an element's plan number after this page's own change, so that the hub does not refuse the next press as out
 * of date.
 * @param {HTMLElement | null} element
 * @param {number} before
 * @param {number} now
 */
function updatePlan(element, before, now) {
  if (element && (Number(element.dataset.plan) === before || now === Number(element.dataset.plan) + 1)) {
    element.dataset.plan = String(now);
  }
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.dataset.post && !form.dataset.upload && !form.dataset.fetch) return;
  event.preventDefault();
  const button = event.submitter;
  button?.setAttribute("disabled", "");
  (form.dataset.fetch ? fetchForm(form) : press(form, button))
    .catch((why) => toastRefusal(asRefusal(why)))
    .finally(() => button?.removeAttribute("disabled"));
});
/** @param {Event} event */
function seatOf({ target }) {
  return target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-seat]")) : null;
}
document.addEventListener("dragstart", (event) => {
  const name = seatOf(event)?.dataset.seat;
  if (name) event.dataTransfer?.setData("text/plain", name);
});
document.addEventListener("dragover", (event) => {
  if (seatOf(event)) event.preventDefault(); // otherwise nothing can be dropped here
});
document.addEventListener("drop", (event) => {
  const other = seatOf(event)?.dataset.seat;
  const one = event.dataTransfer?.getData("text/plain");
  if (!other || !one) return;
  event.preventDefault();
  if (one === other) return;
  const before = plan();
  const body = JSON.stringify({ one, other, plan: before });
  send("/api/rulings/swap", body, { "Content-Type": "application/json" })
    .then((answer) => takeAnswer(before, answer))
    .catch((why) => toastRefusal(asRefusal(why)));
});
// Enter in a text field would press the first of several decisions.
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key !== "Enter" || !(field instanceof HTMLInputElement)) return;
  if ((field.form?.querySelectorAll("button[name=decision]").length ?? 0) > 1) event.preventDefault();
});
// A form that describes a player begins with what is stored, so that saving it changes nothing else.
document.addEventListener("input", ({ target }) => {
  const field = /** @type {HTMLInputElement} */ (target);
  const form = field.closest("form[data-stored]");
  if (!form || field.name !== "player") return;
  const typed = field.value.trim().toLowerCase();
  const options = /** @type {NodeListOf<HTMLOptionElement>} */ (document.querySelectorAll("#players option"));
  const stored = [...options].find(({ value }) => value.toLowerCase() === typed);
  for (const other of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input:not([name=player])"))) {
    other.value = stored?.dataset[other.name] ?? "";
  }
});
document.addEventListener("focusout", () => setTimeout(showWaiting, 200));

// Lists that do not fit on the projector are shown page by page.
const TURNS_EVERY_MS = 8000;
/** The scroll position of each list, by its index, so that a redrawn list stays where it was.
 * @type {number[]} */
const tops = [];

/**
 * @param {Element} list
 * @param {number} place
 * @param {boolean} turns whether to go on to the next page
 */
function showPage(list, place, turns) {
  const page = /** @type {HTMLElement} */ (list);
  page.style.maxHeight = "";
  const top = page.getBoundingClientRect().top - page.scrollTop;
  const items = [...page.querySelectorAll(".club-table, tbody tr")].map((item) => item.getBoundingClientRect());
  if (turns) {
    const shown = page.scrollTop + page.clientHeight;
    const next = items.find(({ bottom }) => bottom - top > shown + 1);
    tops[place] = next && shown < page.scrollHeight - 4 ? next.top - top : 0;
  }
  const wanted = tops[place] ?? 0;
  page.scrollTop = wanted;
  // The last page is shorter, or it would repeat a part of the page before.
  if (page.scrollTop < wanted - 1) page.style.maxHeight = `${page.scrollHeight - wanted}px`;
  page.scrollTop = wanted;
  // An item that is cut by the lower edge belongs to the next page.
  const fits = items.map(({ bottom }) => bottom - top - page.scrollTop).filter((end) => end <= page.clientHeight + 1);
  const last = Math.max(0, ...fits);
  if (last && page.scrollTop + page.clientHeight < page.scrollHeight - 4) page.style.maxHeight = `${last + 1}px`;
}

/** @param {boolean} turns */
function showPages(turns) {
  for (const [place, list] of document.querySelectorAll(".club-pages").entries()) showPage(list, place, turns);
}
setInterval(() => showPages(true), TURNS_EVERY_MS);
addEventListener("resize", () => showPages(false));

const told = sessionStorage.getItem("told");
if (told) toast(told);
sessionStorage.removeItem("told");
showPages(false);
listen();
