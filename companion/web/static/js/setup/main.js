// The page to begin a game night, in two steps: the players and rules, and the camera.

import { asRefusal, get, post } from "../api.js";
import { button, openDialog } from "../dialog.js";
import { buttonById, byId, fill, make } from "../dom.js";
import { knownNames, loadPlayers } from "../known_players.js";
import { gettext } from "../language.js";
import { showPhoneOffer } from "../phone_offer.js";
import { openRules } from "../rulebook.js";
import { keepShell } from "../shell.js";
import { saveMovedCorners } from "./area.js";
import { leaveCameras, nameWatched, showCameras, watchAddress } from "./camera.js";
import { beginBody, choices, seatedPeople } from "./choices.js";
import { endSettings } from "./ending.js";
import { askOwnLimits, ownLimits } from "./own_limits.js";
import { drawRules, openHouseRules, showOwnLimits } from "./rules.js";
import { drawSeats } from "./seats.js";

let playing = false;

function showStep() {
  const camera = location.hash === "#camera";
  byId("step-one").hidden = camera;
  byId("step-two").hidden = !camera;
  byId("step-players").toggleAttribute("aria-current", !camera);
  byId("step-camera").toggleAttribute("aria-current", camera);
  byId("other-step").hidden = camera;
  if (camera) showCameras();
  else leaveCameras();
}

function enableBegin() {
  const enough = seatedPeople().length >= 2;
  buttonById("begin").disabled = !enough && !playing;
  showOwnLimits();
  byId("trouble").textContent = enough || playing ? "" : gettext("Enter at least two names.");
}

// Whether a camera has no play area, so that all tablets could see the racks.
async function racksMayShow() {
  const [{ source }, { play_area: area }] = await Promise.all([get("state"), get("sources")]);
  return area === null && ["camera", "stream"].includes(source.kind);
}

function askForArea() {
  const beginAnyway = () => {
    dialog.close();
    begin(true);
  };
  const chooseArea = () => {
    dialog.close();
    location.hash = "#camera";
  };
  const text =
    `${gettext("No play area is saved for this camera, so every device shows everything the camera sees.")} ` +
    gettext("Keep only sets inside the play area. Everything outside is black.");
  const dialog = openDialog(gettext("Are all racks outside the picture?"), [make("p", {}, text)], {
    foot: [
      button(gettext("No rack in the picture: start"), beginAnyway),
      button(gettext("Choose the play area"), chooseArea, "main"),
    ],
  });
}

/** @param {boolean} sure that no rack is in the picture */
async function begin(sure) {
  if (playing && location.hash === "#camera") {
    location.assign("/");
    return;
  }
  buttonById("begin").disabled = true;
  await saveMovedCorners();
  try {
    if (!sure && (await racksMayShow())) {
      enableBegin();
      askForArea();
      return;
    }
    await post("evenings", beginBody({ ...endSettings(), limits_s: ownLimits() }));
    location.assign("/");
  } catch (error) {
    enableBegin(); // first of all, since an error that is no refusal goes on
    byId("trouble").textContent = asRefusal(error).message;
  }
}

async function start() {
  drawSeats(enableBegin);
  enableBegin();
  addEventListener("hashchange", showStep);
  byId("begin").addEventListener("click", () => begin(false));
  byId("open-rules").addEventListener("click", () => openRules(choices.edition));
  byId("more-rules").addEventListener("click", openHouseRules);
  byId("own-limits").addEventListener("click", () => askOwnLimits(showOwnLimits));
  loadPlayers(() => fill(byId("known-names"), ...knownNames().map((name) => make("option", { value: name }))));
  watchAddress();
  showStep();
  nameWatched();
  try {
    drawRules((await get("editions")).editions);
    const { evening } = await get("state");
    playing = evening !== null && evening.phase !== "over";
    if (playing && location.hash === "#camera") byId("begin-text").textContent = gettext("Back to the table");
    enableBegin();
  } catch (error) {
    byId("trouble").textContent = asRefusal(error).message;
  }
  document.body.dataset.ready = "";
}

start();
showPhoneOffer();
keepShell();
