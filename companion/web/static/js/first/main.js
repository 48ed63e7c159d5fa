// The first steps: the camera, the play area, one practice turn. Each step can be skipped or repeated.

import { get } from "../api.js";
import { byId } from "../dom.js";
import { gettext } from "../language.js";
import { showPhoneOffer } from "../phone_offer.js";
import { saveMovedCorners } from "../setup/area.js";
import { leaveCameras, showCameras, watchAddress } from "../setup/camera.js";
import { onTested } from "../setup/placement.js";
import { keepShell } from "../shell.js";
import { drawLive } from "./live_check.js";
import { drawPractice } from "./practice.js";
import { playScenes } from "./scenes.js";

const STEPS = ["camera", "area", "practice"];
const NO_CAMERA = "none";

const stepNow = () => STEPS.find((step) => `#${step}` === location.hash) ?? STEPS[0];

async function show() {
  const step = stepNow();
  document.body.dataset.step = step;
  for (const name of STEPS) byId(`to-${name}`).toggleAttribute("aria-current", name === step);
  const practising = step === "practice";
  byId("step-two").hidden = practising;
  byId("practice").hidden = !practising;
  if (practising) {
    leaveCameras();
    await drawPractice(byId("practice"));
  } else showCameras();
  const next = byId("next", HTMLAnchorElement);
  next.hash = STEPS[STEPS.indexOf(step) + 1] ?? "";
  if (practising) next.href = byId("skip", HTMLAnchorElement).href;
  next.textContent = practising ? gettext("To the table") : gettext("Next");
}

// Without a camera there is no play area either.
async function skipArea() {
  const { watched } = await get("sources").catch(() => ({ watched: "" }));
  if (watched === NO_CAMERA && stepNow() === "area") location.replace("#practice");
}

addEventListener("hashchange", async () => {
  await skipArea();
  show();
});
byId("next").addEventListener("click", async (event) => {
  if (stepNow() !== "area") return;
  event.preventDefault();
  await saveMovedCorners();
  location.assign(byId("next", HTMLAnchorElement).href);
});
watchAddress();
onTested(drawLive);
playScenes();
show().then(() => {
  document.body.dataset.ready = "";
});
showPhoneOffer();
keepShell();
