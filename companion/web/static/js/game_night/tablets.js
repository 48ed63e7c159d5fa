// The other tablets: the join code and QR code, the tablets that have joined, and which of them may press buttons.

import { get, post } from "../api.js";
import { toggle } from "../controls.js";
import { button, confirmDialog, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { composed, gettext } from "../language.js";
import { redraw } from "../redraw.js";
import { act, gameNight, showRefusal } from "./store.js";

const LOOK_EVERY_MS = 2000;

/** @typedef {(answer: Promise<Access>) => Promise<void>} Show waits for an answer and draws it */

export async function openTablets() {
  /** @type {ReturnType<typeof openDialog> | null} */
  let dialog = null;
  /** @type {Show} */
  const show = async (answer) => {
    try {
      const access = await answer;
      dialog ??= openDialog(gettext("Tablets and phones at this table"), []);
      const { body } = dialog;
      const hostOnly = gameNight().settings.control === "host";
      redraw(body, [access, hostOnly], () =>
        fill(body, ...(access.you.host ? hostLines(access, show) : guestLines(access))),
      );
    } catch (error) {
      showRefusal(error);
    }
  };
  await show(get("access"));
  // Tablets that join meanwhile appear by themselves.
  const look = async () => {
    if (!dialog?.isOpen()) return;
    const access = await get("access").catch(() => null);
    if (access && dialog.isOpen()) await show(Promise.resolve(access));
    setTimeout(look, LOOK_EVERY_MS);
  };
  setTimeout(look, LOOK_EVERY_MS);
}

/** @param {Access} access */
function guestLines({ you }) {
  return [
    make(
      "p",
      {},
      you.controls
        ? gettext("This device may press buttons.")
        : gettext("This device only shows the game. The host presses the buttons."),
    ),
    make("p", { class: "hint" }, gettext("It is called {name}.", { name: you.name })),
  ];
}

/**
 * @param {Access} access
 * @param {Show} show
 * @returns {Child[]}
 */
function hostLines({ address, code, trust, devices }, show) {
  const hostOnly = gameNight().settings.control === "host";
  const everybody = toggle(gettext("All devices may press buttons"), !hostOnly, async (on) => {
    await act("settings", { control: on ? "all" : "host" });
    await show(get("access"));
  });
  const lines = devices.map((device) =>
    toggle(
      device.name,
      device.controls || !hostOnly,
      (controls) => show(post("access/control", { device: device.id, controls })),
      !hostOnly,
    ),
  );
  return [
    trust && trustLines(trust),
    address ? joinLines(address, code) : localOnly(),
    everybody,
    ...(lines.length > 0
      ? [make("h3", {}, hostOnly ? gettext("Devices that may press buttons") : gettext("Players who joined")), ...lines]
      : [make("p", { class: "hint" }, gettext("No other device has joined yet."))]),
    address
      ? make(
          "div",
          { class: "ways" },
          button(gettext("A new code for everybody"), () => askNewCode(show)),
        )
      : null,
  ];
}

/** @param {NonNullable<Access["trust"]>} trust */
function trustLines({ address, fingerprint }) {
  return make(
    "div",
    { class: "join" },
    make("img", {
      class: "qr",
      src: "/api/access/trust-qr.svg",
      alt: gettext("QR code with the address of that page"),
    }),
    make(
      "div",
      {},
      make("h3", {}, gettext("Once on each device: trust this table")),
      make("p", {}, gettext("Scan it, or open")),
      make("p", { class: "address" }, address),
      make(
        "details",
        {},
        make("summary", {}, gettext("Security code (fingerprint)")),
        make("p", { class: "fingerprint" }, fingerprint),
      ),
    ),
  );
}

/**
 * @param {string} address
 * @param {string | null} code
 */
function joinLines(address, code) {
  return make(
    "div",
    { class: "join" },
    make("img", { class: "qr", src: `/api/access/qr.svg?${code}`, alt: gettext("QR code with the address") }),
    make(
      "div",
      {},
      make("p", {}, gettext("Scan it, or open")),
      make("p", { class: "address" }, address.replace(/^http:\/\//, "").replace(/\/$/, "")),
      make("p", {}, gettext("and enter the code")),
      make("p", { class: "code" }, code),
    ),
  );
}

const localOnly = () =>
  make(
    "p",
    {},
    ...composed(
      gettext(
        "Only this computer can join now. To let tablets and phones in the same network join, end the app and start " +
          "it with {command} (or, where make starts it, with {make}).",
      ),
      { command: make("code", {}, "tilekeeper run --lan"), make: make("code", {}, "make run ARGS=--lan") },
    ),
  );

/** @param {Show} show */
function askNewCode(show) {
  confirmDialog(
    gettext("A new code?"),
    gettext("All devices must join again with it."),
    gettext("Make a new code"),
    () => show(post("access/renew")),
  );
}
