// The marks of a verdict in the picture.
import { byId } from "./dom.js";
import { highlight } from "./highlight.js";

/**
 * @typedef {object} Marks
 * @property {Set<number>} melds with a fault
 * @property {Set<number>} tiles with a fault, by their index in the reading
 * @property {Set<number>} asked tiles with a question
 * @property {Map<number, number>} moving the number of the move that takes a tile away
 * @property {{ quad: Quad }[]} gone tiles of the table before the turn
 */

/**
 * @param {State} state
 * @returns {Marks}
 */
export function marksOf(state) {
  const marks = noMarks();
  const { verdict, reading, evening } = state;
  if (!reading) return marks;
  if (evening?.failing) {
    numberMoves(evening.failing.moves, marks);
    return marks;
  }
  if (!verdict?.current) return marks;
  if (verdict.fix && listsMoves()) numberMoves(verdict.fix.moves, marks);
  for (const fault of verdict.faults.filter(isShown)) {
    for (const meld of fault.melds) marks.melds.add(meld);
    // If a fault concerns all tiles of its melds, the outline of the melds is enough.
    const isPartial = fault.melds.flatMap((meld) => reading.melds[meld]).some((tile) => !fault.tiles.includes(tile));
    if (isPartial) for (const tile of fault.tiles) marks.tiles.add(tile);
    marks.gone.push(...fault.gone);
  }
  for (const question of verdict.questions) marks.asked.add(question.tile);
  for (const { choices } of verdict.groupings) for (const tile of choices[0].rows.flat()) marks.asked.add(tile);
  return marks;
}

/** Whether the card lists the moves of the fix; without the list their numbers in the picture would say nothing. */
export const listsMoves = () => byId("verdict").classList.contains("lists-moves");

/** @returns {Marks} */
const noMarks = () => ({ melds: new Set(), tiles: new Set(), asked: new Set(), moving: new Map(), gone: [] });

/**
 * @param {Move[]} moves
 * @param {Marks} marks
 */
function numberMoves(moves, marks) {
  for (const [index, move] of moves.entries()) if (move.from_tile !== null) marks.moving.set(move.from_tile, index + 1);
}

/**
 * Whether a fault is marked: every fault is, unless some are highlighted.
 * @param {Fault} fault
 */
const isShown = ({ text, code }) => highlight.fault === null || text === highlight.fault || code === highlight.code;
