// Message centers: when they are fetched, what is kept, and what the person did (MC-1, MC-4 to MC-8, MC-12, MC-14).
import { gate, kinds, processed, request } from "./belfry-calls.js";
import { as, CALLS, referenceOf } from "./belfry-rules.js";
import { BelfryError, closed, flag, forgetMessages, MINUTE, suspension } from "./belfry-state.js";

const MOST_ATTEMPTS = 5;
const RANK = { unread: 0, read: 1, deleted: 2 };
const NOT_ENABLED = { code: "notEnabled", message: "The message center is off. Turn it on with setMessageCenterEnabled(true)." };

const all = ({ centers }) => centers.flatMap((center) => center.messages);
const isListed = ({ state, expiresAt, fetchedAt }, now, policy) =>
  state !== "deleted" && (expiresAt == null || expiresAt > now) && fetchedAt + policy.retention > now;

export const unreadCount = (messages, now, policy) =>
  all(messages).filter((message) => message.state === "unread" && isListed(message, now, policy)).length;

// What is sent and fetched

export function* candidates({ state, messages, now, config, appState }) {
  const { centers, gates } = state;
  if (messages.pending.length) yield closed(gates.states, undefined, now) ?? { do: "messageState", pending: messages.pending[0] };
  const isRequested = centers.marks !== centers.seenMarks;
  if (!centers.isEnabled || !(isRequested || appState === "foreground")) return;
  const failures = gates.centers?.failures ?? 0;
  let wait = { until: 0, reason: "fetchedLately" };
  if (!isRequested && !failures && centers.fetchedAt != null) wait.until = centers.fetchedAt + config.centers.interval;
  const isGivenUp = !isRequested && failures >= MOST_ATTEMPTS;
  const pause = { until: centers.attemptAt + Math.min(config.centers.interval, 15 * MINUTE), reason: "backingOff" };
  for (const other of [closed(gates.centers, undefined, now), isGivenUp && pause]) if (other?.until > wait.until) wait = other;
  yield wait.until > now ? wait : { do: "centers" };
}

Object.assign(kinds, {
  messageState: {
    isWithToken: true,
    ask: (s, { pending: { id, state, owner } }) =>
      request(s, "PUT", `/client/messages/${encodeURIComponent(id)}/state`, { state, contact: referenceOf(s.state.link, owner) }),
    done: (s, { pending: { id, state } }, outcome) => {
      s.state.gates.states = gate(s, "states", as(outcome, "accepted", "refused"), undefined, CALLS);
      if (outcome.is !== "accepted" && outcome.is !== "refused") return;
      s.messages.pending = s.messages.pending.filter((other) => other.id !== id || other.state !== state);
    },
  },
  centers: {
    isWithToken: true,
    ask: (s, call) => {
      const { centers } = s.state;
      Object.assign(call, { generation: centers.generation, marks: centers.marks });
      centers.attemptAt = s.now;
      return request(s, "GET", "/client/message-centers");
    },
    done: (s, { generation, marks }, outcome, said) => {
      const { state, messages, now } = s;
      const { centers, gates } = state;
      // A response for a person who has left is dropped; the next fetch is due at once (MC-12).
      if (generation !== centers.generation) return;
      const read = outcome.is === "accepted" ? readCenters(said, now) : null;
      const flaw = { code: "invalidPayload", message: "The response is not from a Belfry server.", at: now };
      const isFlawed = outcome.is === "accepted" && !read;
      const result = isFlawed ? { is: "failed", cause: "server", failure: flaw } : outcome;
      gates.centers = gate(s, "centers", as(result, "failed", "refused"), undefined, CALLS);
      s.isNews = true;
      if (!read) return;
      processed(s, said.registration);
      Object.assign(messages, read);
      for (const { id, state: mine } of messages.pending) {
        const message = all(messages).find((other) => other.id === id);
        if (message && RANK[mine] > RANK[message.state]) message.state = mine;
      }
      Object.assign(centers, { fetchedAt: now, seenMarks: marks });
      adoptBadge(s, said.badge);
    },
  },
});

/** Of two badges the one with the greater revision counts (BADGE-5). */
function adoptBadge(s, badge) {
  if (badge?.revision > s.state.badge.revision) s.state.badge = badge;
}

const address = (text) => {
  try {
    return text == null ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** The messages as the site gets them (MC-8); nothing for a response of which one cannot be read. */
function readCenters(said, now) {
  if (!Array.isArray(said?.messageCenters)) return null;
  let isReadable = true;
  const centers = said.messageCenters.slice(0, 16).map(({ name, label, messages }) => ({
    name, label: label ?? name,
    messages: (messages ?? []).slice(0, 100).map((raw) => {
      const sentAt = Date.parse(raw.sent_ts);
      isReadable &&= typeof raw.id === "string" && typeof raw.subject === "string" && !isNaN(sentAt);
      return {
        id: raw.id, center: name, sentAt, subject: raw.subject, message: raw.message, deeplinkURL: address(raw.deeplink_url),
        richMessageURL: address(raw.richmessage_url), iconURL: address(raw.icon_url), custom: raw.custom ?? {},
        expiresAt: raw.expiry_ts == null ? null : Date.parse(raw.expiry_ts), state: raw.state ?? "unread", fetchedAt: now,
      };
    }),
  }));
  return isReadable ? { centers, disabled: [said.disabled ?? []].flat() } : null;
}

// What the site asks

export function enable(engine, given) {
  const isEnabled = flag(given, "isEnabled");
  return engine.step((s) => {
    const { centers, rest } = s.state;
    if (rest) throw suspension(rest);
    if (centers.isEnabled === isEnabled) return;
    forgetMessages(s);
    Object.assign(centers, { isEnabled, attemptAt: null });
    delete s.state.gates.centers;
    s.isNews = true;
  });
}

/** What is stored, never waiting for the network, and why it may be old (MC-6). */
export async function list(engine, name) {
  const { state, messages, now, isOnline, config } = await engine.read();
  const center = messages.centers.find((other) => other.name === name);
  const shown = (center?.messages ?? []).filter((message) => isListed(message, now, config.centers));
  return {
    messages: shown.map(({ fetchedAt, sentAt, expiresAt, ...message }) => (
      { ...message, sentAt: new Date(sentAt), expiresAt: expiresAt && new Date(expiresAt) })),
    centers: messages.centers.map((other) => ({ name: other.name, label: other.label })),
    fetchedAt: state.centers.fetchedAt && new Date(state.centers.fetchedAt),
    error: listError(state, messages, name, isOnline, now, config.centers),
  };
}

function listError({ centers, gates }, messages, name, isOnline, now, policy) {
  if (!centers.isEnabled) return NOT_ENABLED;
  const { error, failures } = gates.centers ?? {};
  if (error) {
    const isNetwork = !error.status && !error.code;
    const { message } = error;
    if (isNetwork) return { code: failures >= MOST_ATTEMPTS ? "maximumRetryReached" : "noNetwork", message };
    return { code: error.status >= 500 ? "serverUnavailable" : (error.code ?? "noNetwork"), message };
  }
  if (centers.fetchedAt == null || centers.marks !== centers.seenMarks || centers.fetchedAt + policy.interval <= now) {
    const contact = gates.link?.error ?? gates.refresh?.error ?? gates.properties?.error;
    if (!isOnline) return { code: "noNetwork", message: "There is no network." };
    if (contact) return { code: contact.code ?? "noNetwork", message: contact.message };
  }
  if (centers.fetchedAt == null || messages.centers.some((other) => other.name === name)) return null;
  return messages.disabled.includes(name)
    ? { code: "messageCenterDisabled", message: `The message center '${name}' is disabled.` }
    : { code: "messageCenterFailure", message: `The server has no message center '${name}'.` };
}

/** States only grow: deleted over read over unread, so devices may send them in any order (MC-14). */
export async function mark(engine, id, state) {
  await engine.step((s) => {
    const { messages } = s;
    const message = all(messages).find((other) => other.id === id && other.state !== "deleted");
    if (s.state.rest) throw suspension(s.state.rest);
    if (!message) throw new BelfryError("unknownMessage", "The person has no such message on this device.");
    if (RANK[state] <= RANK[message.state]) return;
    message.state = state;
    const others = messages.pending.filter((other) => other.id !== id);
    messages.pending = [...others, { id, state, owner: s.state.link.owner }].slice(-1000);
    s.isNews = true;
  });
}

/** Makes the centers due now, and resolves when they were fetched; rejects with the reason when they cannot be. */
export async function refresh(engine) {
  const former = await engine.step((s) => {
    if (!s.state.centers.isEnabled) throw new BelfryError(NOT_ENABLED.code, NOT_ENABLED.message);
    s.state.centers.marks += 1;
    return s.state.gates.centers?.since;
  });
  if (engine.isLeading) await engine.parts.sync.idle(engine);
  else await answeredElsewhere(engine, former);
  const { error } = await list(engine, "Primary");
  if (error) throw new BelfryError(error.code, error.message);
}

/** The tab that leads has fetched, or failed to; or half a minute is over. */
function answeredElsewhere(engine, former) {
  return new Promise((resolve) => {
    const end = () => { stop(); cancel(); resolve(); };
    const look = async () => {
      const { centers, gates } = (await engine.read()).state;
      if (centers.marks === centers.seenMarks || gates.centers?.since !== former) end();
    };
    const stop = engine.on("news", () => look().catch(end));
    const cancel = engine.edge.timer(30_000, end);
    look().catch(end);
  });
}

/** Shows the badge, and tells the site when there is something new. */
let shown;
export function refreshed(engine, state, messages) {
  const text = JSON.stringify(messages.centers);
  const isChanged = shown !== undefined && shown !== text;
  if (isChanged) engine.emit("messages", messages.centers.map(({ name, label }) => ({ name, label })));
  shown = text;
  globalThis.navigator?.setAppBadge?.(state.badge.count).catch(() => {});
}
