// Parts of a page that update by themselves: <div data-live="ADDRESS">. Each event names the element that it replaces.
//
// A browser has six connections to a host for all of its pages (HTTP/1.1), and a stream holds one of them. So a hidden
// page has no stream. Of the visible pages four have a stream at a time, and the others take turns with them. Browsers
// have locks only over HTTPS and on localhost; elsewhere each visible page has a stream.
import { renew } from "./parts.js";

const places = [0, 1, 2, 3].map((one) => `belfry-live-${one}`);
const turn = 3_000;

function follow(element) {
  let seen = null;
  let isOver = false;

  function look() {
    if (document.hidden || isOver) {
      seen?.abort();
      seen = null;
    } else if (!seen) {
      seen = new AbortController();
      stay(seen.signal);
    }
  }

  // Streams until the page is hidden or the stream has ended for good.
  async function stay(left) {
    try {
      while (navigator.locks && !left.aborted) await takeTurn(left);
    } catch {
      // The wait for a place was aborted, or the browser stores nothing for this host and so has no locks.
    }
    if (!left.aborted) await stream(left);
  }

  async function takeTurn(left) {
    for (const place of places) {
      const wasIn = await navigator.locks.request(place, { ifAvailable: true }, async (lock) => {
        if (lock) await stream(left, place);
        return lock !== null;
      });
      if (wasIn || left.aborted) return;
    }
    const place = places[Math.floor(Math.random() * places.length)];
    await navigator.locks.request(place, { signal: left }, () => stream(left, place));
  }

  // Streams until the page is hidden or another page waits for the place. Each stream begins with the whole state, so a
  // page misses nothing while it waits.
  function stream(left, place) {
    return new Promise((done) => {
      if (left.aborted) return done();
      const source = new EventSource(element.dataset.live);
      const end = () => {
        clearInterval(looking);
        source.close();
        left.removeEventListener("abort", end);
        done();
      };
      const looking = place && setInterval(async () => {
        try {
          const { pending } = await navigator.locks.query();
          if (pending.some(({ name }) => name === place)) end();
        } catch {
          // It is unknown whether another page waits, so this one keeps its place until the next check.
        }
      }, turn);
      left.addEventListener("abort", end);
      for (const part of element.querySelectorAll("[data-part]")) {
        source.addEventListener(part.dataset.part, ({ data }) => renew(part, data));
      }
      source.addEventListener("end", () => { isOver = true; look(); });
      // The browser reconnects by itself, unless the response is not a stream, such as the sign-in page after the
      // session has ended.
      const tell = () => element.toggleAttribute("data-stale", source.readyState === EventSource.CLOSED);
      source.addEventListener("open", tell);
      source.addEventListener("error", tell);
    });
  }

  document.addEventListener("visibilitychange", look);
  look();
}

for (const element of document.querySelectorAll("[data-live]")) follow(element);
