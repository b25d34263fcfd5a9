// The live stream of a phone, as long as somebody sees its page.
//
// A browser has six connections to a host for all of its pages (HTTP/1.1), and a stream holds one of them. So a page that
// nobody sees has none. Of those that are seen four have one at a time, and the others take turns with them. A browser has
// locks only over HTTPS and on localhost; elsewhere each page that is seen has a connection.

const places = [0, 1, 2, 3].map((one) => `belfry-phone-live-${one}`);
const turn = 3_000;
const rest = 2_000;

// `page` is told that the stream has `opened`, that it has `failed`, whether it `shares` its place, and by the names in
// `takes` what comes. Returns what is to be called when somebody uses the page: then it has its turn at once.
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

  // Until nobody sees the page any more.
  async function stay(left) {
    try {
      // Who has just come to it wants to see something.
      for (let isUsed = true; navigator.locks && !left.aborted; isUsed = false) await takeTurn(left, isUsed);
    } catch {
      // A browser that keeps nothing for this host gives no places either.
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

  // Streams while it has the place; returns whether it had it.
  async function hold(place, options, left) {
    const taken = new AbortController();
    let wasIn = false;
    try {
      await navigator.locks.request(place, options, (lock) => {
        wasIn = lock !== null;
        return wasIn ? stream(left, taken.signal, place) : null;
      });
    } catch (error) {
      // A page that somebody uses has taken the place, or nobody waits for it any more.
      if (error.name !== "AbortError") throw error;
    } finally {
      taken.abort();
    }
    return wasIn;
  }

  // Until nobody sees the page, the place is taken, or another page waits for it.
  function stream(left, taken, place) {
    return new Promise((done) => {
      let source = null;
      let again = 0;
      const open = () => {
        source = new EventSource(address);
        source.addEventListener("open", () => page.opened());
        source.addEventListener("error", () => {
          page.failed();
          // A browser gives up after an answer that is no stream.
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
          // It is not known whether anybody waits: the page keeps its place until the next look.
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
