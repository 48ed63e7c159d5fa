// The page on which an evening is begun: two steps, either of which may be left out.
import { at, make } from "../dom.js";
import { openDialog } from "../game_night/dialog.js";
import { ask, press, Refused } from "../link.js";
import { leaveCameras, nameWatched, showCameras, watch } from "./camera.js";
import { beginning, people } from "./choices.js";
import { offerKept } from "./kept.js";
import { drawRules, openAllRules } from "./rules.js";
import { drawSeats } from "./seats.js";

let playing = false;

function showStep() {
  const camera = location.hash === "#camera";
  at("step-one").hidden = camera;
  at("step-two").hidden = !camera;
  at("step-players").toggleAttribute("aria-current", !camera);
  at("step-camera").toggleAttribute("aria-current", camera);
  at("other-step").hidden = camera;
  if (camera) showCameras();
  else leaveCameras();
}

function ready() {
  const enough = people().length >= 2;
  at("begin").disabled = !enough && !playing;
  at("trouble").textContent = enough || playing ? "" : "Enter two names at least.";
}

// Whether a camera looks at all of the room: every tablet would see the racks.
async function racksMayShow() {
  const [{ source }, { play_area: area }] = await Promise.all([ask("state"), ask("sources")]);
  return area === null && ["camera", "stream"].includes(source.kind);
}

function askForArea() {
  const draw = () => {
    dialog.close();
    location.hash = "#camera";
  };
  const dialog = openDialog(
    "Are all racks out of the picture?",
    [
      make(
        "p",
        {},
        "No play area is kept for this camera, so every tablet shows all that it sees. " +
          "Inside the play area lie only melds; everything outside is black.",
      ),
    ],
    {
      foot: [
        make(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              dialog.close();
              begin(true);
            },
          },
          "No rack is seen: begin",
        ),
        make("button", { type: "button", class: "button main", onclick: draw }, "Choose the play area"),
      ],
    },
  );
}

async function begin(sure) {
  if (playing && location.hash === "#camera") return location.assign("/");
  at("begin").disabled = true;
  try {
    if (!sure && (await racksMayShow())) {
      ready();
      return askForArea();
    }
    await press("evenings", beginning());
    location.assign("/");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    ready();
    at("trouble").textContent = error.message;
  }
}

async function start() {
  drawSeats(ready);
  ready();
  addEventListener("hashchange", showStep);
  at("begin").addEventListener("click", () => begin(false));
  at("more-rules").addEventListener("click", openAllRules);
  at("address").addEventListener("submit", (event) => {
    event.preventDefault();
    const source = new FormData(event.target).get("source").trim();
    if (source) watch(source);
  });
  showStep();
  nameWatched();
  offerKept();
  try {
    drawRules((await ask("editions")).editions);
    const { evening } = await ask("state");
    playing = evening !== null && evening.phase !== "over";
    if (playing && location.hash === "#camera") at("begin").querySelector("span").textContent = "Back to the table";
    ready();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    at("trouble").textContent = error.message;
  }
}

start();
