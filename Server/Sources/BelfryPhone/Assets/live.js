// The live stream of a phone while its page is visible.
//
// A browser has six connections to a host for all of its pages (HTTP/1.1), and a stream holds one of them. So a hidden
// page has no stream. Of the visible pages four have a stream at a time, and the others take turns with them. Browsers
// have locks only over HTTPS and on localhost; elsewhere each visible page has a stream.

const places = [0, 1, 2, 3].map((one) => `belfry-phone-live-${one}`);
const turn = 3_000;
const rest = 2_000;

// Follows the stream. `page` gets a call when the stream has `opened` or `failed`, and with whether it `shares` its
// place; the functions in `takes` get the events by name. Returns a function to call when somebody uses the page: the
// page then gets its turn at once.
export function follow(address, number, page) {
  const own = places[number % places.length];
  let seen = null;
  let wait = null;

  function look() {
    if (document.hidden) {
      seen?.abort();
      seen = null;
    } else if (!seen) {
      seen = new AbortController();
      stay(seen.signal);
    }
  }

  // Streams until the page is hidden.
  async function stay(left) {
    try {
      // A person who has just opened the page wants to see it at once, so its first turn does not wait.
      for (let isUsed = true; navigator.locks && !left.aborted; isUsed = false) await takeTurn(left, isUsed);
    } catch {
      // A browser that stores nothing for this host has no locks.
    }
    if (!left.aborted) await stream(left, left);
  }

  async function takeTurn(left, isUsed) {
    for (const place of places) {
      if (left.aborted || await hold(place, { ifAvailable: true }, left)) return;
    }
    page.shares(true);
    if (isUsed) return hold(own, { steal: true }, left);
    const waiting = new AbortController();
    const leave = () => waiting.abort();
    left.addEventListener("abort", leave);
    wait = waiting;
    const wasIn = await hold(own, { signal: waiting.signal }, left);
    wait = null;
    left.removeEventListener("abort", leave);
    if (!wasIn && !left.aborted) await hold(own, { steal: true }, left);
  }

  // Streams while the page holds the place; returns whether it got the place.
  async function hold(place, options, left) {
    const taken = new AbortController();
    let wasIn = false;
    try {
      await navigator.locks.request(place, options, (lock) => {
        wasIn = lock !== null;
        return wasIn ? stream(left, taken.signal, place) : null;
      });
    } catch (error) {
      // A page in use has taken the place, or the wait was aborted.
      if (error.name !== "AbortError") throw error;
    } finally {
      taken.abort();
    }
    return wasIn;
  }

  // Streams until the page is hidden, the place is taken, or another page waits for it.
  function stream(left, taken, place) {
    return new Promise((done) => {
      let source = null;
      let again = 0;
      const open = () => {
        source = new EventSource(address);
        source.addEventListener("open", () => page.opened());
        source.addEventListener("error", () => {
          page.failed();
          // A browser does not reconnect after a response that is not a stream.
          if (source.readyState === EventSource.CLOSED) again = setTimeout(open, rest);
        });
        for (const [name, take] of Object.entries(page.takes)) source.addEventListener(name, (event) => take(JSON.parse(event.data)));
      };
      const end = () => {
        clearTimeout(again);
        clearInterval(looking);
        source?.close();
        left.removeEventListener("abort", end);
        taken.removeEventListener("abort", end);
        done();
      };
      const looking = place && setInterval(async () => {
        try {
          const { pending } = await navigator.locks.query();
          if (pending.some(({ name }) => name === place)) end();
          else page.shares(false);
        } catch {
          // It is unknown whether another page waits, so this one keeps its place until the next check.
        }
      }, turn);
      left.addEventListener("abort", end);
      taken.addEventListener("abort", end);
      if (left.aborted || taken.aborted) end();
      else open();
    });
  }

  document.addEventListener("visibilitychange", look);
  look();
  return () => wait?.abort();
}
