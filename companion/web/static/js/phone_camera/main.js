// Makes a phone the table camera: asks the host, and sends one picture after another at the app's pace.
import { abortAfter } from "../abort_after.js";
import { asRefusal, csrfHeader, post } from "../api.js";
import { buttonById, byId } from "../dom.js";
import { keepAwake } from "../game_night/awake.js";
import { gettext } from "../language.js";
import { keepShell } from "../shell.js";
import { CameraControls } from "./camera_controls.js";
import { frame, takeStill } from "./still.js";

const SIZE = { width: { ideal: 1920 }, height: { ideal: 1080 } };
const QUALITY = 0.85;
const ASK_EVERY_MS = 1500;
// The pause after a failed picture.
const AGAIN_MS = 500;
// The page reports a missing answer after this time, earlier than it aborts the request.
const TOLD_AFTER_MS = 1800;
const ANSWERS_WITHIN_MS = 5000;

const view = byId("view", HTMLVideoElement);
/** @type {MediaStreamTrack} */
let track;
/** @type {CameraControls | null} null before the start, and with `--camera-controls off` */
let controls = null;
let isReporting = false;

/**
 * @param {"off" | "asking" | "sending"} name
 * @param {string} words
 */
function show(name, words) {
  byId("phone").dataset.state = name;
  if (byId("state").textContent !== words) byId("state").textContent = words;
}

async function start() {
  buttonById("start").disabled = true;
  if (!navigator.mediaDevices) {
    show(
      "off",
      gettext(
        "This phone's camera needs a secure connection. At the computer, end the app and start it with {command}.",
        {
          command: "tilekeeper run --source phone --lan --https",
        },
      ),
    );
    return;
  }
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { ...SIZE, facingMode: { ideal: "environment" } },
    });
    [track] = stream.getVideoTracks();
    view.srcObject = stream;
    await view.play();
  } catch {
    show("off", gettext("No access to the camera. Please allow it in the browser's settings."));
    buttonById("start").disabled = false;
    return;
  }
  keepAwake();
  if (byId("phone").dataset.controls === "on") {
    controls = new CameraControls(track, view, reportControls);
    controls.run();
  }
  ask();
}

// Sends one report at a time, since an older report that arrives later would replace the newest.
async function reportControls() {
  if (!controls || isReporting) return;
  isReporting = true;
  let sent = null;
  while (sent !== controls.states) {
    sent = controls.states;
    await post("phone/controls", sent).catch(asRefusal); // refused if another phone is the camera
  }
  isReporting = false;
}

async function ask() {
  try {
    const { chosen } = await post("phone/ask");
    if (chosen) {
      show("sending", gettext("This phone is the camera. Leave this page open."));
      reportControls();
      send();
      return;
    }
    show("asking", gettext("Now allow this phone at the computer, under Camera."));
  } catch (error) {
    show("asking", asRefusal(error).message);
  }
  setTimeout(ask, ASK_EVERY_MS);
}

// The next picture is taken after the answer to this one, so that only one is on its way.
async function send() {
  let waitMs = AGAIN_MS;
  const told = setTimeout(sayNoAnswer, TOLD_AFTER_MS);
  try {
    const response = await sendPicture("picture", await frame(view, QUALITY));
    if (response.status === 401 || response.status === 403) {
      setTimeout(ask, ASK_EVERY_MS);
      return;
    }
    const data = await response.json();
    if (response.ok) waitMs = data.wait_ms;
    if (data.refocus) controls?.focus();
    if (data.photo) await sendPicture("photo", await takeStill(track, view, SIZE));
    show("sending", response.ok ? gettext("This phone is the camera. Leave this page open.") : data.error);
  } catch {
    sayNoAnswer();
  } finally {
    clearTimeout(told);
  }
  setTimeout(send, waitMs);
}

const sayNoAnswer = () => show("sending", gettext("The app does not answer; trying again."));

/**
 * @param {"picture" | "photo"} name
 * @param {Blob} picture
 */
const sendPicture = (name, picture) =>
  fetch(`/api/phone/${name}`, {
    method: "POST",
    headers: { "Content-Type": picture.type, ...csrfHeader() },
    body: picture,
    signal: abortAfter(ANSWERS_WITHIN_MS),
  });

buttonById("start").addEventListener("click", start);
keepShell();
