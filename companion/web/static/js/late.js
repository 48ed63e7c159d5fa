// Parts of the page that are loaded when they are needed first, so that the page itself is small.

import { gettext } from "./language.js";
import { toast } from "./toast.js";

/**
 * Returns a handler that loads a part and then uses it; presses while it is loading do nothing.
 * @template Part
 * @param {() => Promise<Part>} load
 * @param {(part: Part) => unknown} then
 * @returns {() => Promise<void>}
 */
export function onceLoaded(load, then) {
  let isLoading = false;
  return async () => {
    if (isLoading) return;
    isLoading = true;
    const part = await load().catch(() => null);
    isLoading = false;
    if (part) then(part);
    else toast(gettext("The app does not answer."));
  };
}
