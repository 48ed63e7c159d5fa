// What every page does at its start: shows the tablet's size of text, and registers the service worker for the
// offline page.
import { showTextSize } from "./text_size.js";

export function keepShell() {
  showTextSize();
  if (!window.isSecureContext || !("serviceWorker" in navigator)) return;
  // Browsers refuse this without a trusted certificate.
  navigator.serviceWorker.register("/service-worker.js").catch(() => {});
}
