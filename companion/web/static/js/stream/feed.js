// One stream of states from the app, as text; asks again and again where it gets no stream.
const POLL_MS = 1200;

// Calls hear(text) with each state and reach(true | false) when the app is there or not; gives { wake, close }.
export function feed(hear, reach) {
  let events = null;
  let closed = false;
  const open = () => {
    events?.close();
    events = new EventSource("/events");
    events.onopen = () => reach(true);
    events.onmessage = (message) => hear(message.data);
    events.onerror = () => {
      // The browser tries again by itself, except after an answer that was no stream: too many pages are open.
      if (events.readyState === EventSource.CLOSED) poll();
      else reach(false);
    };
  };
  const poll = async () => {
    let version = -1;
    while (!closed) {
      try {
        const answer = await fetch(`/api/state?after=${version}`);
        if (answer.status === 200) {
          const text = await answer.text();
          version = JSON.parse(text).version;
          hear(text);
        }
        reach(answer.status < 400);
      } catch {
        version = -1;
        reach(false);
      }
      await new Promise((wake) => setTimeout(wake, POLL_MS));
    }
  };
  open();
  return {
    // A tablet that slept has a dead connection and does not know it yet.
    wake: () => events.readyState !== EventSource.CLOSED && open(),
    close: () => {
      closed = true;
      events.close();
    },
  };
}
