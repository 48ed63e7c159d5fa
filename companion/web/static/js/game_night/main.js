// The page of an evening: takes each state and shows what the evening waits for.
import { at, fill, icon, make } from "../dom.js";
import { forgetDrawn, redraw } from "../redraw.js";
import { startClock } from "./clock.js";
import { isOpen } from "./dialog.js";
import { drawTable } from "./drawn_table.js";
import { drawFailing, failingShows } from "./failing.js";
import { drawFinding, findingShows } from "./finding.js";
import { openHistory } from "./history.js";
import { openMenu } from "./menu.js";
import { drawView, redrawView, wireView } from "./picture_view.js";
import { openPlayer } from "./player.js";
import { drawRacks, racksShow } from "./racks.js";
import { drawScore, openScore, scoreShows } from "./score.js";
import { drawSeats } from "./seats.js";
import { drawStarting, startingShows } from "./starting.js";
import { evening, hasCamera, isReachable, maySteer, start, state, watch } from "./store.js";
import { done, drawTurn, drawTurnButtons, wireTurn } from "./turn.js";
import { drawVerdictCard } from "./verdict_card.js";

const PANELS = {
  starting: [startingShows, drawStarting],
  racks: [racksShow, drawRacks],
  score: [scoreShows, drawScore],
  failing: [failingShows, drawFailing],
  finding: [findingShows, drawFinding],
};
const INTERACTIVE = "button, input, summary, a, select, textarea, [role=switch]";
const SEEN = "tilekeeper-notice-seen";
let seenRounds = null; // how many scored rounds this tablet has shown the sheet of

function view() {
  const { phase, failing, sheet, id } = evening();
  if (seenRounds?.id !== id) seenRounds = { id, rounds: sheet.rounds.length };
  seenRounds.rounds = Math.min(seenRounds.rounds, sheet.rounds.length);
  if (phase === "over") return "score";
  if ((phase === "starter" || phase === "deal") && sheet.rounds.length > seenRounds.rounds) return "score";
  if (phase === "starter" || phase === "deal") return "starting";
  seenRounds.rounds = sheet.rounds.length;
  if (phase === "racks") return "racks";
  if (phase === "finding") return "finding";
  return failing ? "failing" : "turn";
}

function goOn() {
  seenRounds.rounds = evening().sheet.rounds.length;
  forgetDrawn(at("panel"));
  draw();
}

function draw() {
  drawNotice();
  if (!state()) return;
  if (!evening()) return location.replace("/setup");
  // Until now nothing was known that a list could be made of.
  for (const tool of document.querySelectorAll(".tools .tool")) tool.disabled = false;
  const shown = view();
  const changed = document.body.dataset.view !== shown;
  document.body.dataset.view = shown;
  document.body.dataset.camera = hasCamera();
  if (document.body.dataset.steers !== String(maySteer())) {
    document.body.dataset.steers = maySteer();
    forgetDrawn(at("panel"));
  }
  const turn = shown === "turn";
  at("panel").hidden = turn;
  at("actions").hidden = !turn && shown !== "starting" && shown !== "racks" && shown !== "finding";
  at("view").hidden = !(turn && hasCamera()) && !(shown === "failing" && hasCamera());
  at("drawn").hidden = !turn || hasCamera();
  at("turn").hidden = at("verdict").hidden = !turn;
  drawSeats(openPlayer);
  drawTurnButtons();
  if (changed) {
    forgetDrawn(at("panel"));
    at("panel").scrollTop = 0;
    redrawView();
  }
  if (turn) {
    drawTurn();
    drawVerdictCard();
    if (!hasCamera()) drawTable();
  } else drawPanel(shown);
  if (!at("view").hidden) drawView();
}

function drawPanel(shown) {
  const [shows, drawIt] = PANELS[shown];
  redraw(at("panel"), [shown, shows()], () => {
    drawIt(at("panel"), shown === "score" ? goOn : () => drawPanel(shown));
    if (maySteer()) return;
    // What only turns this tablet's page over is free to everybody.
    for (const button of at("panel").querySelectorAll("button:not(.free)")) button.disabled = true;
  });
}

function drawNotice() {
  const trouble = isReachable() ? state()?.source.trouble : "The app does not answer; trying again.";
  const looks = evening() && !maySteer() ? "This tablet shows the game; the host’s presses the buttons." : "";
  const says = trouble || looks || state()?.source.notice || "";
  const seen = !trouble && !looks && sessionStorage.getItem(SEEN) === says;
  at("notice").hidden = !says || seen;
  at("notice").dataset.kind = trouble ? "trouble" : "notice";
  if (at("notice").dataset.says === says) return;
  at("notice").dataset.says = says;
  const away = () => {
    sessionStorage.setItem(SEEN, says);
    drawNotice();
  };
  const cameras = make("a", { href: "/setup#camera" }, "Cameras");
  const ways = trouble
    ? [isReachable() && maySteer() && cameras]
    : looks
      ? []
      : [
          cameras,
          make(
            "button",
            { type: "button", class: "away", "aria-label": "Do not show this again", onclick: away },
            icon("cross"),
          ),
        ];
  fill(at("notice"), make("span", {}, says), ...ways);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.key !== " ") return;
  if (!evening() || event.target.closest(INTERACTIVE) || isOpen()) return;
  event.preventDefault();
  done();
});
// A button that was pressed with a finger or mouse must not keep the space bar to itself.
document.addEventListener("pointerup", (event) => {
  if (event.target.closest("#actions, .turn, .tools")) setTimeout(() => !isOpen() && document.activeElement?.blur?.());
});
at("open-sheet").addEventListener("click", openScore);
at("open-history").addEventListener("click", openHistory);
at("open-menu").addEventListener("click", openMenu);
wireTurn();
wireView();
watch(draw);
startClock();
start();
navigator.wakeLock?.request("screen").catch(() => {}); // only where the browser trusts the address
