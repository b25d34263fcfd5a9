// Parts that change by themselves: <div data-live="ADDRESS">; each event names the element that it renews.
//
// A browser has six connections to a host for all of its pages (HTTP/1.1), and a stream holds one of them. So a page that
// nobody sees has none. Of those that are seen four have one at a time, and the others take turns with them. A browser has
// locks only over HTTPS and on localhost; elsewhere each page that is seen has a connection.
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

  // Until nobody sees the page any more, or there is nothing more to tell.
  async function stay(left) {
    try {
      while (navigator.locks && !left.aborted) await takeTurn(left);
    } catch {
      // It waits for a place no more; or a browser that keeps nothing for this host gives no places either.
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

  // Until the page is left, or another one waits for its place. Each begins with all that there is to tell: a page that
  // had to wait has missed nothing.
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
          // It is not known whether anybody waits: the page keeps its place until the next look.
        }
      }, turn);
      left.addEventListener("abort", end);
      for (const part of element.querySelectorAll("[data-part]")) {
        source.addEventListener(part.dataset.part, ({ data }) => renew(part, data));
      }
      source.addEventListener("end", () => { isOver = true; look(); });
      // The browser asks again by itself, unless what it gets is no stream: the sign-in, after the session has ended.
      const tell = () => element.toggleAttribute("data-stale", source.readyState === EventSource.CLOSED);
      source.addEventListener("open", tell);
      source.addEventListener("error", tell);
    });
  }

  document.addEventListener("visibilitychange", look);
  look();
}

for (const element of document.querySelectorAll("[data-live]")) follow(element);
