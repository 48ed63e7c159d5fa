// Draws a part of the page only when what it shows has changed, so that a finger or a screen reader keeps its place.
const drawn = new WeakMap();

// shows is any plain data; gives whether draw() was called.
export function redraw(element, shows, draw) {
  const text = JSON.stringify(shows);
  if (drawn.get(element) === text) return false;
  drawn.set(element, text);
  draw();
  return true;
}

export const forgetDrawn = (element) => drawn.delete(element);
