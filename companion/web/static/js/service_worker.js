// Shows the cached offline page if the app does not answer; all other requests go to the app unchanged.
// The app adds `CACHE`, the name of the cache, which changes with the page.
const OFFLINE = "/offline";

const worker = /** @type {OfflineWorker} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.add(new Request(OFFLINE, { cache: "reload" })))
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

worker.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  const kept = async () => (await caches.match(OFFLINE)) ?? Response.error();
  event.respondWith(fetch(event.request).catch(kept));
});
