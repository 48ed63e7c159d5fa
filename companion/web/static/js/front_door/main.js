// The front door: buttons that begin or open a game night lead to its page, on this tablet and on all others.

import { listen, post } from "../api.js";
import { keepShell } from "../shell.js";
import { toastRefusal } from "../toast.js";

/** @param {HTMLButtonElement} door */
async function enter(door) {
  const { post: name, id } = door.dataset;
  door.disabled = true;
  try {
    await post(/** @type {PostName} */ (name), id ? { id } : {});
    location.replace("/");
  } catch (error) {
    door.disabled = false;
    toastRefusal(error);
  }
}

for (const door of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button.door"))) {
  door.addEventListener("click", () => enter(door));
}
listen(
  ({ evening }) => evening && location.replace("/"),
  () => {},
);
keepShell();
