// Shows a page that says what is missing where the app does not answer; everything else goes to the app as ever.
// `CACHE`, the name under which that page is kept, is put in front by the app: it is another one for another page.
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
