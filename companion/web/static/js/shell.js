// Registers the service worker, which caches the offline page.

export function keepShell() {
  if (!window.isSecureContext || !("serviceWorker" in navigator)) return;
  // Browsers refuse this without a trusted certificate.
  navigator.serviceWorker.register("/service-worker.js").catch(() => {});
}
