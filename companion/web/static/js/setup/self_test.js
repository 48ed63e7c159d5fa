// The self-test of the picture: its problems and their places.

import { asRefusal, get } from "../api.js";
import { fill, icon, make, makeSvg } from "../dom.js";
import { gettext } from "../language.js";

/** @param {HTMLElement} results where they are drawn */
export async function testPicture(results) {
  fill(results, make("p", {}, gettext("Checking the picture.")));
  try {
    const { good, picture, findings, controls } = await get("self-test");
    fill(
      results,
      good ? goodLine() : null,
      ...findings.map(({ text }, index) =>
        make("p", { class: "finding" }, make("span", { class: "number" }, String(index + 1)), text),
      ),
      controls.length > 0 ? make("ul", { class: "camera-controls" }, ...controls.map(controlLine)) : null,
      picture === null
        ? null
        : testedPicture(
            picture,
            findings.flatMap(({ boxes }) => boxes),
          ),
    );
    results.scrollIntoView({ block: "nearest" });
  } catch (error) {
    fill(results, make("p", { class: "finding" }, asRefusal(error).message));
  }
}

/** @type {Record<CameraControl["state"], string>} */
const ICONS = { locked: "tick", chosen: "tick", settling: "restart", automatic: "right", refused: "cross" };

/** @param {CameraControl} control */
const controlLine = ({ control, state, text }) =>
  make("li", { "data-control": control, "data-state": state }, icon(ICONS[state]), text);

const goodLine = () =>
  make(
    "p",
    { class: "finding good" },
    icon("tick"),
    gettext("All is well: the picture is bright, sharp and large enough."),
  );

/**
 * @param {number} picture
 * @param {number[][]} boxes left, top, right, bottom as parts of the picture
 */
const testedPicture = (picture, boxes) =>
  make(
    "div",
    { class: "tested" },
    make("img", { src: `/picture/${picture}.jpg?t=${Date.now()}`, alt: gettext("The picture that was tested") }),
    makeSvg(
      "svg",
      { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
      ...boxes.map(([left, top, right, bottom]) =>
        makeSvg("rect", { x: left, y: top, width: right - left, height: bottom - top }),
      ),
    ),
  );
