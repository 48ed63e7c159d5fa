// The play area, drawn on the whole picture by its corners, and the self-test of the picture.
import { at, draw, fill, icon, make } from "../dom.js";
import { ask, press, Refused } from "../link.js";
import { toast } from "../toast.js";

const FIRST = [
  [0.12, 0.12],
  [0.88, 0.12],
  [0.88, 0.88],
  [0.12, 0.88],
];
const UNIT = 1000;
const LOAD_AGAIN_MS = 1500;
let corners = FIRST;
let touched = false; // whether somebody has moved a corner: what is found by itself must not undo that
let wanted = null; // the source of which somebody wants to see the whole picture

export function drawArea(sources) {
  const area = at("area");
  area.hidden = sources.watched === "none";
  if (area.hidden) return;
  touched = false;
  corners = (sources.play_area ?? FIRST).map((corner) => [...corner]);
  const image = make("img", {
    class: "whole",
    alt: "The table as the camera sees it",
    src: `/api/whole.jpg?t=${Date.now()}`,
  });
  const load = () => {
    if (image.isConnected) image.src = `/api/whole.jpg?t=${Date.now()}`;
  };
  image.addEventListener("error", () => setTimeout(load, LOAD_AGAIN_MS));
  const board = draw("svg", {
    class: "area-board",
    viewBox: `0 0 ${UNIT} ${UNIT}`,
    preserveAspectRatio: "none",
    role: "application",
    "aria-label": "Corners of the play area: drag them",
  });
  const handles = make("div", { class: "handles" });
  const again = () => wireHandles(board, handles);
  const results = make("div", { class: "test-results", id: "test-results", "aria-live": "polite" });
  fill(
    area,
    make(
      "h3",
      {},
      sources.play_area
        ? "The play area: outside it every picture is black"
        : "Drag the corners around the play area: racks, pool and box lie outside",
    ),
    sources.whole
      ? make("div", { class: "area-picture" }, image, board, handles)
      : make("p", { class: "hint" }, "While a round is played the whole picture is not shown: racks may be in it."),
    make(
      "div",
      { class: "ways" },
      sources.whole &&
        make("button", { type: "button", class: "button main", onclick: () => keepArea(corners) }, "Keep this area"),
      sources.whole &&
        make("button", { type: "button", class: "button", onclick: () => findArea(again, true) }, "Find it"),
      sources.whole &&
        make(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              wanted = sources.watched;
              keepArea(null);
            },
          },
          "Whole picture",
        ),
      make("button", { type: "button", class: "button", onclick: () => test(results) }, "Test the picture"),
    ),
    results,
  );
  if (!sources.whole) return;
  again();
  if (sources.play_area || wanted === sources.watched) return;
  // Nobody has drawn one for this camera yet: where it can be told, it is drawn already.
  image.addEventListener("load", () => findArea(again, false), { once: true });
}

async function findArea(again, asked) {
  try {
    const { corners: found } = await ask("play-area/found");
    if (touched && !asked) return;
    if (found) {
      corners = found;
      again();
    } else if (asked) toast("The table’s rim can’t be told here: drag the corners around the middle.");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (asked) toast(error.message);
  }
}

function wireHandles(board, handles) {
  handles.replaceChildren();
  const show = () => {
    const points = corners.map(([x, y]) => `${x * UNIT},${y * UNIT}`);
    board.replaceChildren(
      draw("path", { class: "outside", "fill-rule": "evenodd", d: `M0 0H${UNIT}V${UNIT}H0Z M${points.join("L")}Z` }),
      draw("polygon", { class: "inside", points: points.join(" ") }),
    );
    for (const [index, [x, y]] of corners.entries()) {
      Object.assign(handles.children[index].style, { left: `${100 * x}%`, top: `${100 * y}%` });
    }
  };
  const move = (index, x, y) => {
    touched = true;
    corners[index] = [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
    show();
  };
  corners.forEach((_, index) => {
    const handle = make("button", {
      type: "button",
      class: "handle",
      "aria-label": `Corner ${index + 1}: move with the arrow keys`,
    });
    handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const box = handles.getBoundingClientRect();
      move(index, (event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height);
    });
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!by) return;
      event.preventDefault();
      move(index, corners[index][0] + 0.01 * by[0], corners[index][1] + 0.01 * by[1]);
    });
    handles.append(handle);
  });
  show();
}

async function keepArea(area) {
  try {
    drawArea(await press("play-area", { corners: area }));
    toast(area ? "Kept: outside the area every picture is black from now on." : "The whole picture is seen.");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.message);
  }
}

async function test(results) {
  fill(results, make("p", {}, "Looking at the picture."));
  try {
    const { good, picture, findings } = await ask("self-test");
    const boxes = findings.flatMap((finding, index) => finding.boxes.map((box) => ({ box, index })));
    fill(
      results,
      good
        ? make(
            "p",
            { class: "finding good" },
            icon("tick"),
            "All is well: the picture is bright, sharp and large enough.",
          )
        : null,
      ...findings.map((finding, index) =>
        make("p", { class: "finding" }, make("span", { class: "number" }, String(index + 1)), finding.text),
      ),
      picture === null
        ? null
        : make(
            "div",
            { class: "tested" },
            make("img", { src: `/picture/${picture}.jpg?t=${Date.now()}`, alt: "The picture that was tested" }),
            marked(boxes),
          ),
    );
    results.scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fill(results, make("p", { class: "finding" }, error.message));
  }
}

const marked = (boxes) =>
  draw(
    "svg",
    { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...boxes.map(({ box: [left, top, right, bottom] }) =>
      draw("rect", { x: left, y: top, width: right - left, height: bottom - top }),
    ),
  );
