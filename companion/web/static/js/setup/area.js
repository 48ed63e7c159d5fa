// The editor of the play area: its corners are dragged on the whole picture.

import { asRefusal, get, post } from "../api.js";
import { button } from "../dialog.js";
import { byId, fill, make, makeSvg } from "../dom.js";
import { gettext } from "../language.js";
import { toast, toastRefusal } from "../toast.js";
import { testPicture } from "./self_test.js";

const FIRST = [
  [0.12, 0.12],
  [0.88, 0.12],
  [0.88, 0.88],
  [0.12, 0.88],
];
const UNIT = 1000;
const STEP = 0.01;
const LOAD_AGAIN_MS = 1500;
/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {Point[]} as parts of the picture's width and height */
let corners = FIRST;
let touched = false; // whether somebody has moved a corner, which the automatic search must not undo
/** @type {string | null} the source for which somebody chose the whole picture */
let wantedWhole = null;

/**
 * @param {Sources} sources
 * @param {(sources: Sources) => unknown} drawAll draws the previews too, once whole pictures may be shown
 */
export function drawArea(sources, drawAll = drawArea) {
  const area = byId("area");
  area.hidden = sources.watched === "none";
  if (area.hidden) return;
  touched = false;
  corners = (sources.play_area ?? FIRST).map((corner) => [...corner]);
  const results = make("div", { class: "test-results", id: "test-results", "aria-live": "polite" });
  const test = button(gettext("Test the picture"), () => testPicture(results));
  if (!sources.host || sources.racks) {
    const [hint, away] = sources.host
      ? [
          gettext("Racks may stand around the table, so you don't see the whole picture now."),
          button(gettext("All racks are away"), () => putRacksAway(drawAll)),
        ]
      : [gettext("Only the computer that runs the app shows the whole picture and changes this."), null];
    fill(area, title(sources), make("p", { class: "hint" }, hint), make("div", { class: "ways" }, away, test), results);
    return;
  }
  const image = wholePicture();
  const board = makeSvg("svg", {
    class: "area-board",
    viewBox: `0 0 ${UNIT} ${UNIT}`,
    preserveAspectRatio: "none",
    role: "application",
    "aria-label": gettext("Corners of the play area: drag them"),
  });
  const handles = make("div", { class: "handles" });
  const redraw = () => drawHandles(board, handles);
  const showWhole = () => {
    wantedWhole = sources.watched;
    postArea(null);
  };
  fill(
    area,
    title(sources),
    make(
      "div",
      { class: "area-picture" },
      image,
      board,
      handles,
      make("p", { class: "blank" }, gettext("Waiting for the first picture")),
    ),
    make(
      "div",
      { class: "ways" },
      button(gettext("Save this area"), () => postArea(corners), "main"),
      button(gettext("Find it"), () => findArea(redraw, true)),
      button(gettext("Use the whole picture"), showWhole),
      test,
    ),
    results,
  );
  redraw();
  image.addEventListener("load", () => {
    image.parentElement?.style.setProperty("--shape", `${image.naturalWidth / image.naturalHeight}`);
  });
  if (sources.play_area || wantedWhole === sources.watched) return;
  // Without an area for this camera, suggest the one that is found in the picture.
  image.addEventListener("load", () => findArea(redraw, false), { once: true });
}

/** @param {Sources} sources */
const title = ({ play_area: area }) =>
  make(
    "h3",
    {},
    area
      ? gettext("The play area: outside it, every picture is black")
      : gettext("Drag the corners around the place for sets (the play area). Keep racks, pool and box outside"),
  );

// The whole picture, as soon as the camera has sent one: a wrong choice of the camera never sends any.
function wholePicture() {
  const image = make("img", { class: "whole", alt: gettext("The table as the camera sees it") });
  const load = async () => {
    const { picture } = await get("state").catch(() => ({ picture: null }));
    if (!image.isConnected) return;
    if (picture) image.src = `/api/whole.jpg?t=${Date.now()}`;
    else setTimeout(load, LOAD_AGAIN_MS);
  };
  image.addEventListener("error", () => setTimeout(load, LOAD_AGAIN_MS));
  queueMicrotask(load); // once the image is on the page
  return image;
}

/**
 * @param {() => void} redraw
 * @param {boolean} asked whether somebody has pressed the button for it
 */
async function findArea(redraw, asked) {
  try {
    const { corners: found } = await get("play-area/found");
    if (touched && !asked) return;
    if (found) {
      corners = found;
      redraw();
    } else if (asked) toast(gettext("The edge of the table is hard to see. Drag the corners around the middle."));
  } catch (error) {
    const { message } = asRefusal(error);
    if (asked) toast(message);
  }
}

/**
 * @param {SVGSVGElement} board
 * @param {HTMLElement} handles
 */
function drawHandles(board, handles) {
  const show = () => {
    const points = corners.map(([x, y]) => `${x * UNIT},${y * UNIT}`);
    board.replaceChildren(
      makeSvg("path", {
        class: "outside",
        "fill-rule": "evenodd",
        d: `M0 0H${UNIT}V${UNIT}H0Z M${points.join("L")}Z`,
      }),
      makeSvg("polygon", { class: "inside", points: points.join(" ") }),
    );
    for (const [index, [x, y]] of corners.entries()) {
      Object.assign(buttons[index].style, { left: `${100 * x}%`, top: `${100 * y}%` });
    }
  };
  /**
   * @param {number} index
   * @param {number} x
   * @param {number} y
   */
  const move = (index, x, y) => {
    touched = true;
    corners[index] = [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
    show();
  };
  const buttons = corners.map((_, index) => handle(index, handles, move));
  handles.replaceChildren(...buttons);
  show();
}

/**
 * @param {number} index
 * @param {HTMLElement} handles
 * @param {(index: number, x: number, y: number) => void} move
 */
function handle(index, handles, move) {
  const label = gettext("Corner {number}: move with the arrow keys", { number: index + 1 });
  const element = make("button", { type: "button", class: "handle", "aria-label": label });
  element.addEventListener("pointerdown", (event) => element.setPointerCapture(event.pointerId));
  element.addEventListener("pointermove", (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return;
    const box = handles.getBoundingClientRect();
    move(index, (event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height);
  });
  element.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    move(index, corners[index][0] + STEP * arrow[0], corners[index][1] + STEP * arrow[1]);
  });
  return element;
}

/** @param {(sources: Sources) => unknown} drawAll */
async function putRacksAway(drawAll) {
  try {
    drawAll(await post("racks-away", {}));
  } catch (error) {
    toastRefusal(error);
  }
}

// Saves corners that somebody has moved: whoever goes on has meant them.
export async function saveMovedCorners() {
  if (touched) await postArea(corners);
}

/** @param {Point[] | null} area null for the whole picture */
async function postArea(area) {
  try {
    drawArea(await post("play-area", { corners: area }));
    toast(
      area
        ? gettext("Saved: from now on every picture is black outside the area.")
        : gettext("You see the whole picture."),
    );
  } catch (error) {
    toastRefusal(error);
  }
}
