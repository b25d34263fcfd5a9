// The subscription to pushes: made with the app's key, kept, renewed, and replaced when a person leaves (WEB-4, REG-30).
import { gate, kinds, request } from "./belfry-calls.js";
import { answered, CALLS } from "./belfry-rules.js";
import { closed, DAY, digestOf, noticed } from "./belfry-state.js";

const CHECK = 3_600_000;

/** A time in the future is from before the clock was set back, and says nothing. */
const isWithin = (at, most, now) => at != null && at <= now && at + most > now;

/** Each page looks once, since a browser may have dropped the subscription without a word. */
let hasLooked = false;
export function refreshed(engine, { rest }) {
  if (rest) leave(engine.edge);
  if (hasLooked || rest) return;
  hasLooked = true;
  engine.step((s) => { s.state.push.checkedAt = null; }).catch(() => { hasLooked = false; });
}

export function* earlyCandidates({ state: { push, record, gates }, now }) {
  if (!record.osPushEnabled) return;
  if (!push.key || !isWithin(push.keyAt, DAY, now)) yield closed(gates.webPushKey, undefined, now) ?? { do: "webPushKey" };
  const isDue = push.isStale || record.pushToken == null || !isWithin(push.checkedAt, CHECK, now) || push.checkedKey !== push.key;
  if (!push.key || !isDue) return;
  yield closed(gates.subscribe, undefined, now) ?? { do: "subscribe", key: push.key, isStale: push.isStale };
}

Object.assign(kinds, {
  webPushKey: {
    ask: (s) => request(s, "GET", "/client/web-push-key", undefined, true),
    reads: (said) => typeof said?.publicKey === "string",
    done: (s, call, outcome, said) => {
      s.state.gates.webPushKey = gate(s, "webPushKey", outcome, undefined, CALLS);
      if (outcome.is === "accepted") Object.assign(s.state.push, { key: said.publicKey, keyAt: s.now });
    },
  },
  subscribe: {
    // A browser may never answer, and everything else waits for it.
    run: ({ edge }, { key, isStale }) => Promise.race([
      subscribe(edge, key, isStale),
      new Promise((_, reject) => edge.timer(60_000, () => reject(new DOMException("No response", "TimeoutError")))),
    ]),
    done: (s, { key, isStale }, result) => {
      const { state, now } = s;
      if (result.error) {
        const failure = { message: `${result.error.name}: ${result.error.message}`, at: now };
        s.reports.push({ type: "pushRegistrationFailed", ...failure });
        const outcome = { is: "failed", cause: "network", failure };
        state.gates.subscribe = answered(state.gates.subscribe, outcome, undefined, now, s.random(), CALLS);
        return;
      }
      state.gates.subscribe = {};
      state.record.pushToken = result;
      // The person may have left meanwhile; then it is replaced once more.
      Object.assign(state.push, { checkedAt: now, checkedKey: key, isStale: state.push.isStale && !isStale });
      noticed(state.registration, digestOf(state), now);
      s.isNews = true;
    },
  },
});

async function registration({ worker }, isNew) {
  if (worker.registration) return worker.registration;
  const { url, scope } = worker;
  if (!isNew) return navigator.serviceWorker.getRegistration(scope ?? url);
  const made = await navigator.serviceWorker.register(url, { scope, type: "module" });
  const waiting = made.installing ?? made.waiting;
  if (!made.active && waiting) {
    await new Promise((resolve) => waiting.addEventListener("statechange", () => waiting.state === "activated" && resolve()));
  }
  return made;
}

async function subscribe(edge, key, isStale) {
  const { pushManager } = await registration(edge, true);
  let present = await pushManager.getSubscription();
  if (present && (isStale || base64url(present.options.applicationServerKey) !== key)) {
    await present.unsubscribe();
    present = null;
  }
  present ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  return JSON.stringify(present);
}

const base64url = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** What the browser still shows of the person who has left goes. The subscription is replaced by the next call (ID-4). */
export async function leave(edge) {
  try {
    const present = edge.hasPush ? await registration(edge) : undefined;
    for (const shown of (await present?.getNotifications()) ?? []) if (shown.data?.belfry) shown.close();
    await navigator.clearAppBadge?.();
  } catch {
    // The person has left all the same.
  }
}
