// The line to the app: hears of each new state, and sends what was pressed.
const POLL_MS = 1200;

// Calls hear(state) with each new state, and reach(true | false) when the app is or is not there.
export function listen(hear, reach) {
  let events = null;
  const open = () => {
    events = new EventSource("/events");
    events.onopen = () => reach(true);
    events.onmessage = (message) => hear(JSON.parse(message.data));
    events.onerror = () => {
      // The browser tries again by itself, except after an answer that was no stream: too many pages are open.
      if (events.readyState === EventSource.CLOSED) poll(hear, reach);
      else reach(false);
    };
  };
  open();
  // A tablet that slept has a dead connection and does not know it yet.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && events.readyState !== EventSource.CLOSED) {
      events.close();
      open();
    }
  });
}

async function poll(hear, reach) {
  let version = -1;
  for (;;) {
    try {
      const answer = await fetch(`/api/state?after=${version}`);
      if (answer.status === 200) {
        const state = await answer.json();
        version = state.version;
        hear(state);
      }
      reach(true);
    } catch {
      version = -1;
      reach(false);
    }
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}

// Sends what was pressed; gives the new state, or throws an Error with a line for people.
export async function press(what, body = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The app does not answer.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error ?? "That did not work.");
  return said;
}
