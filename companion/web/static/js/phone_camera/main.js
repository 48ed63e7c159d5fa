// Makes a phone the table camera: asks the host, and sends one picture after another at the app's pace.
import { abortAfter } from "../abort_after.js";
import { asRefusal, csrfHeader, post } from "../api.js";
import { buttonById, byId } from "../dom.js";
import { keepAwake } from "../game_night/awake.js";
import { gettext } from "../language.js";
import { keepShell } from "../shell.js";

const SIZE = { width: { ideal: 1920 }, height: { ideal: 1080 } };
const QUALITY = 0.85;
const ASK_EVERY_MS = 1500;
// The pause after a failed picture.
const AGAIN_MS = 500;
// A missing answer is reported earlier than the request is aborted.
const TOLD_AFTER_MS = 1800;
const ANSWERS_WITHIN_MS = 5000;

const view = byId("view", HTMLVideoElement);
const canvas = document.createElement("canvas");

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
    show("off", gettext("This browser needs a secure connection (https) for its camera. The guide says how."));
    return;
  }
  try {
    view.srcObject = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { ...SIZE, facingMode: { ideal: "environment" } },
    });
    await view.play();
  } catch {
    show("off", gettext("No access to the camera. Please allow it in the browser’s settings."));
    buttonById("start").disabled = false;
    return;
  }
  keepAwake();
  ask();
}

async function ask() {
  try {
    const { chosen } = await post("phone/ask");
    if (chosen) {
      show("sending", gettext("This phone is the camera. Leave this page open."));
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
    const response = await fetch("/api/phone/picture", {
      method: "POST",
      headers: { "Content-Type": "image/jpeg", ...csrfHeader() },
      body: await picture(),
      signal: abortAfter(ANSWERS_WITHIN_MS),
    });
    if (response.status === 401 || response.status === 403) {
      setTimeout(ask, ASK_EVERY_MS);
      return;
    }
    const data = await response.json();
    if (response.ok) waitMs = data.wait_ms;
    show("sending", response.ok ? gettext("This phone is the camera. Leave this page open.") : data.error);
  } catch {
    sayNoAnswer();
  } finally {
    clearTimeout(told);
  }
  setTimeout(send, waitMs);
}

const sayNoAnswer = () => show("sending", gettext("The app does not answer; trying again."));

/** @returns {Promise<Blob>} the camera's present picture as JPEG */
async function picture() {
  canvas.width = view.videoWidth;
  canvas.height = view.videoHeight;
  canvas.getContext("2d", { alpha: false })?.drawImage(view, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", QUALITY),
  );
}

buttonById("start").addEventListener("click", start);
keepShell();
