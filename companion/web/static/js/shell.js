// Lets the browser keep the page that says what is missing where the app does not answer.

export function keepShell() {
  if (!window.isSecureContext || !("serviceWorker" in navigator)) return;
  // Where the certificate is not trusted the browser says no, and there is nothing to be done about it here.
  navigator.serviceWorker.register("/service-worker.js").catch(() => {});
}
