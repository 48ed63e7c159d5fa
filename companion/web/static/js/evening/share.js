// Shares a file with the tablet's share dialog if it has one, or lets people save it.

import { button } from "../dialog.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { toast } from "../toast.js";

/**
 * The buttons for a file. Browsers share only a file that was ready when the button was pressed.
 * @param {Blob} blob
 * @param {string} name
 */
export function waysOut(blob, name) {
  const file = new File([blob], name, { type: blob.type });
  const save = make("a", { class: "button", href: URL.createObjectURL(blob), download: name }, gettext("Save"));
  if (!navigator.canShare?.({ files: [file] })) {
    save.classList.add("main");
    return [save];
  }
  return [button(gettext("Send"), () => send(file), "main"), save];
}

/** @param {File} file */
async function send(file) {
  try {
    await navigator.share({ files: [file] });
  } catch (error) {
    // No message after a person has cancelled.
    if (!(error instanceof DOMException && error.name === "AbortError")) {
      toast(gettext("This device can't send the file. Save it instead."));
    }
  }
}
