// Other tablets: the code and QR code with which they join, who has, and which of them may press buttons.
import { fill, make } from "../dom.js";
import { ask, press } from "../link.js";
import { button, confirmDialog, openDialog } from "./dialog.js";
import { act, evening, refuse } from "./store.js";

export async function openTablets() {
  const dialog = openDialog("Tablets at this table", []);
  const show = async (send) => {
    try {
      draw(dialog.body, await send, show);
    } catch (error) {
      refuse(error);
    }
  };
  await show(ask("access"));
}

function draw(body, access, show) {
  const { you, address, code, devices } = access;
  if (!you.host) {
    fill(
      body,
      make(
        "p",
        {},
        you.controls
          ? "This tablet may press buttons."
          : "This tablet shows the game; buttons are pressed at the host’s.",
      ),
      make("p", { class: "hint" }, `It is called ${you.name}.`),
    );
    return;
  }
  const host = evening().settings.control === "host";
  const who = make(
    "label",
    { class: "check-line" },
    make("input", { type: "checkbox", role: "switch", ...(host ? {} : { checked: true }) }),
    make("span", {}, "All tablets may press buttons"),
  );
  who.querySelector("input").addEventListener("change", async (event) => {
    await act("settings", { control: event.target.checked ? "all" : "host" });
    show(ask("access"));
  });
  const rows = devices.map((device) => {
    const control = make("input", {
      type: "checkbox",
      role: "switch",
      checked: device.controls || !host,
      disabled: !host,
    });
    control.addEventListener("change", () =>
      show(press("access/control", { device: device.id, controls: control.checked })),
    );
    return make("label", { class: "check-line" }, control, make("span", {}, device.name));
  });
  fill(
    body,
    address
      ? make(
          "div",
          { class: "join" },
          make("img", { class: "qr", src: `/api/access/qr.svg?${code}`, alt: "QR code with the address" }),
          make(
            "div",
            {},
            make("p", {}, "Scan it, or open"),
            make("p", { class: "address" }, address.replace(/^http:\/\//, "").replace(/\/$/, "")),
            make("p", {}, "and enter the code"),
            make("p", { class: "code" }, code),
          ),
        )
      : make(
          "p",
          {},
          "Only this computer gets in. To let tablets in the same network join, end the app and start it with ",
          make("code", {}, "tilekeeper run --lan"),
          ", or where make starts it with ",
          make("code", {}, "make run ARGS=--lan"),
          ".",
        ),
    who,
    ...(rows.length > 0
      ? [make("h3", {}, host ? "Which may press buttons" : "Who has joined"), ...rows]
      : [make("p", { class: "hint" }, "No other tablet has joined yet.")]),
    address
      ? make(
          "div",
          { class: "ways" },
          button("A new code for everybody", () =>
            confirmDialog("A new code?", "All tablets have to join again with it.", "Make a new code", () =>
              show(press("access/renew")),
            ),
          ),
        )
      : null,
  );
}
