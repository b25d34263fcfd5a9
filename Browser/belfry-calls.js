// The device API: what is sent next, how it is asked, and what a response does to the state (WIRE-1 to WIRE-7).
import * as rules from "./belfry-rules.js";
import { wipe } from "./belfry-privacy.js";
import { contactChanged, digest, digestOf, closed, reported } from "./belfry-state.js";

const { answered, as, CALLS, meaning, nextRegistration, nextUpload, registered, REGISTRATIONS, uploaded } = rules;

const NONE = "none";
const areTexts = (...values) => values.every((value) => typeof value === "string" && value);
/** What can be a header: with anything else a browser makes no request at all. */
const areTokens = (...values) => areTexts(...values) && values.every((value) => /^[!-~]+$/.test(value));
/** A message to show; null for what is none. */
export const readMessage = (said) => (areTexts(said?.campaignId, said?.html) ? said : null);
const permission = { true: "authorized", false: "denied", null: "notDetermined" };
const propertiesOf = ({ record: { system, osPushEnabled } }) => ({
  ...system, locale: undefined, timeZone: undefined, appVersion: undefined, applicationVersion: system.appVersion,
  language: system.locale, timezone: system.timeZone,
  pushSettings: { authorizationStatus: permission[osPushEnabled], areNotificationsEnabled: osPushEnabled },
});

/** The next call, or until when there is none and why. */
export function next(s) {
  if (s.state.rest) return { idle: "resting" };
  if (!s.isOnline) return { idle: "offline" };
  let [earliest, idle] = [{ until: Infinity }, "nothingToDo"];
  for (const candidate of candidates(s)) {
    if (candidate.do) return candidate;
    if (candidate.until < earliest.until) earliest = candidate;
    idle = candidate.idle ?? idle;
  }
  return earliest.reason ? earliest : { idle };
}

/** In the order in which they go: properties, link, push token, registration, the person's changes, news, events. */
function* candidates(s) {
  const { state, now, queue } = s;
  const { gates, link, push } = state;
  const properties = digest(propertiesOf(state));
  if (properties !== state.properties.accepted || !state.clientState) {
    yield closed(gates.properties, properties, now) ?? { do: "properties", content: properties };
  }
  const step = state.properties.isSettled ? rules.nextLink(link, gates, now) : { idle: "waitingForContact" };
  if (!step.ready) yield step;
  const token = reported(state.record).pushToken;
  if (rules.isStranded(link, gates, now)) {
    // There the browser is still the former person's, and only their token stops their pushes (ID-4).
    const present = rules.nextToken(link, gates, now);
    if (push.accepted !== NONE) yield present.ready ? putToken(gates, NONE, now) : present;
  } else if (link.tokens && !link.isExpired && !(token && rules.leavesPerson(link))) {
    if (token && token !== push.accepted) yield putToken(gates, token, now, token);
  }
  for (const part of Object.values(s.parts)) yield* part.earlyCandidates?.(s) ?? [];
  if (!step.ready) return;
  yield nextRegistration(state.registration, gates.registration, digestOf(state), now, s);
  for (const part of Object.values(s.parts)) yield* part.candidates?.(s) ?? [];
  yield nextUpload(state.uploads, gates.uploads, { ...queue, oldestAt: s.rows[0]?.at }, now, s.config.uploads);
}

const putToken = (gates, content, now, token) => closed(gates.pushToken, content, now) ?? { do: "pushToken", content, token };

/** What counts as no response at all. */
export const NOT_BELFRYS = { message: "The response is not from a Belfry server." };

/** A response as the rules read it: `{status, header(name), text}`, or a `message` where there is none. */
export function readResponse({ status, header = () => null, text, message: lost }, now) {
  const after = header("Retry-After");
  const clock = Date.parse(header("Date"));
  // A date is one of the server's clock, from which the browser's may differ.
  const retryAfter = Math.max(0, (/^\d+$/.test(after) ? after * 1000 : Date.parse(after) - (clock || now)) || 0);
  let json;
  let isGarbled = false;
  try {
    json = text ? JSON.parse(text) : undefined;
  } catch {
    isGarbled = true;
  }
  const { code, message = lost } = json?.error ?? {};
  return { status, retryAfter, clientState: header("X-Client-State"), clock, json, isGarbled, code, message };
}

/** A request with the headers that each of them has (WIRE-20, WIRE-21). */
export function request({ state, now, config }, method, path, body, isOpen) {
  state.order = Math.max(state.order + 1, now);
  const headers = { "X-Client-Id": state.id, "X-Request-Order": String(state.order), "X-Client-Time": String(now) };
  if (body) headers["Content-Type"] = "application/json";
  if (state.clientState) headers["X-Client-State"] = state.clientState;
  if (state.link.tokens && !isOpen) headers["X-Contact-Token"] = state.link.tokens.contactToken;
  const text = body && JSON.stringify(body, (key, value) => value ?? undefined);
  return { method, path: `/v3/apps/${config.appCode}${path}`, headers, body: text };
}

/** What each call asks, what a success of a Belfry server has, and what follows. Parts of the SDK add their own. */
export const kinds = {
  properties: {
    ask: (s) => {
      s.state.properties.accepted = null;
      return request(s, "POST", "/client", propertiesOf(s.state));
    },
    done: (s, { content }, outcome) => {
      const { state } = s;
      state.gates.properties = gate(s, "properties", as(outcome, "refused", "unauthorized"), content, CALLS);
      if (outcome.is === "accepted") state.properties.accepted = content;
      if (outcome.is !== "failed") state.properties.isSettled = true;
    },
  },
  link: {
    ask: (s, { link }) => {
      const fresh = rules.needsFresh(s.state.link, link) ? "&fresh=true" : "";
      if (link.target === "anonymous") return request(s, "POST", `/client/contact?anonymous=true${fresh}`);
      return request(s, "POST", "/client/contact", link.body ?? { openIdToken: "" }, true);
    },
    reads: (said) => areTokens(said?.contactToken, said?.refreshToken, said?.contactReference),
    done: (s, { link: tried }, outcome, said) => {
      const { link, gates, tags } = s.state;
      if (outcome.is === "accepted") {
        rules.linked(link, tags, gates, tried, said);
        const owners = s.messages.pending.map(({ owner }) => owner);
        rules.forgetOwners(link, Math.min(s.rows[0]?.owner ?? link.owner, ...owners));
      } else {
        report(s, "linkRefused", as(outcome, "refused", "unauthorized"), gates.link);
        rules.linkFailed(link, gates, tried, outcome, s.now, s.random());
      }
    },
  },
  refresh: {
    ask: (s) => request(s, "POST", "/client/contact-token", { refreshToken: s.state.link.tokens.refreshToken }, true),
    reads: (said) => areTokens(said?.contactToken),
    done: (s, call, outcome, said) => {
      const { link, gates, properties, push, registration } = s.state;
      const { owner } = link;
      if (outcome.is === "accepted") {
        link.tokens.contactToken = said.contactToken;
        Object.assign(link, { isExpired: false, isProven: false });
      } else if (rules.refreshFailed(link, gates, outcome, s.now, s.random())) {
        // The server has lost this browser: everything but the queue is sent again (ID-6).
        properties.accepted = push.accepted = registration.accepted = null;
        registration.changedAt ??= s.now;
        if (contactChanged(s, owner)) s.reports.push({ type: "openIDTokenNeeded" });
      }
    },
  },
  pushToken: {
    isWithToken: true,
    ask: (s, { token }) => {
      s.state.push.accepted = null;
      const body = token && { pushToken: token, provider: "webpush" };
      return request(s, token ? "PUT" : "DELETE", "/client/push-token", body);
    },
    done: (s, { content }, outcome) => {
      s.state.gates.pushToken = gate(s, "pushToken", outcome, content, CALLS);
      if (outcome.is === "accepted") s.state.push.accepted = content;
    },
  },
  register: {
    isWithToken: true,
    ask: (s, call) => {
      const { state, now } = s;
      const { registration, record, link } = state;
      if (registration.person !== link.person) {
        // Results up to here are about a person who has left (REG-25).
        Object.assign(registration, { person: link.person, result: null, formerRevision: registration.revision });
      }
      Object.assign(registration, { attemptAt: now, accepted: null, revision: registration.revision + 1 });
      Object.assign(call, { content: digestOf(state), revision: registration.revision });
      const { contactField, system, lastOpenedAt, ...rest } = reported(record);
      return request(s, "POST", "/client/registration", {
        deviceId: state.id, registrationId: s.uuid(), revision: call.revision, ...rest, ...system,
        pushProvider: rest.pushToken && "webpush", lastOpenedAt: lastOpenedAt && new Date(lastOpenedAt).toISOString(),
      });
    },
    reads: (said) => Number.isSafeInteger(said?.revision),
    done: (s, { content, revision }, outcome, said) => {
      const { registration, gates } = s.state;
      gates.registration = gate(s, "registration", outcome, content, REGISTRATIONS);
      if (outcome.is !== "accepted") return;
      registered(registration, content, revision, said.revision, digestOf(s.state), said.status);
      processed(s, said.registration);
    },
  },
  upload: {
    isWithToken: true,
    ask: (s, { body }) => request(s, "POST", "/client/events", body),
    done: (s, { rows, owner }, outcome, said) => {
      const what = uploaded(s.state.uploads, s.state.gates, outcome, rows.length, s.now, s.random());
      if (what === "heldBack") report(s, "eventsRefused", { ...outcome, is: "refused" });
      if (what === "deadLetter") settle(s, rows, [{ index: 0, reason: outcome.failure.code }]);
      if (what !== "stored") return;
      settle(s, rows, said?.rejected ?? []);
      // What the server decided is for the person who uses the browser now (IAM-11, IAM-13).
      if (owner !== s.state.link.owner) return;
      const message = readMessage(said?.message);
      const hasActions = said?.onEventAction?.actions?.every?.((action) => action?.type);
      if (hasActions) s.state.inApp.actions = said.onEventAction;
      if (message) s.state.inApp.due = { ...message, owner, at: s.now };
      s.isNews ||= hasActions || message != null;
    },
  },
};

/** What the server made of an earlier registration; the site hears of a rejected field once (REG-25). */
export function processed(s, said) {
  const { registration, link } = s.state;
  const { person, formerRevision, result } = registration;
  if (!said || person !== link.person || said.revision <= formerRevision || said.revision < result?.revision) return;
  const rejected = (said.rejected ?? []).slice(0, 64);
  const known = new Set(result?.rejected.map((field) => JSON.stringify(field)));
  const news = rejected.filter((field) => !known.has(JSON.stringify(field)));
  registration.result = { revision: said.revision, rejected };
  if (news.length) s.reports.push({ type: "attributesRejected", rejected: news });
}

/** The events leave the queue; those that the server refuses become dead letters with their reasons (EVT-4). */
export function settle(s, rows, rejected) {
  const refused = rejected.filter(({ index }) => rows[index])
    .map(({ index, reason }) => ({ ...rows[index], reason: String(reason).slice(0, 200) }));
  // The newest dead letters stay for support, by their names.
  const letters = refused.map(({ event: { id, name }, reason }) => ({ id, name, reason, at: s.now }));
  const isKept = ({ at }) => at > s.now - s.config.queue.age;
  s.state.deadLetters = [...(s.state.deadLetters ?? []), ...letters].filter(isKept).slice(-50);
  s.settled = new Set(rows.map(({ event }) => event.id));
  s.queue.setAside += refused.length;
  for (const reason of new Set(refused.map((row) => row.reason))) {
    const alike = refused.filter((row) => row.reason === reason);
    const names = [...new Set(alike.map(({ event }) => event.name))].slice(0, 10);
    s.reports.push({ type: "eventsSetAside", count: alike.length, reason, names });
  }
}

/** The first events that can go together as the call `upload`; nothing if those were of a contact that nobody knows. */
export function batch(s, waiting) {
  const { state: { link, inApp }, config: { uploads } } = s;
  const isKnown = (row) => rules.referenceOf(link, row.owner) !== undefined;
  const end = waiting.findIndex((row) => isKnown(row) !== isKnown(waiting[0]));
  let rows = end < 0 ? waiting : waiting.slice(0, end);
  if (!isKnown(rows[0])) return settle(s, rows, rows.map((row, index) => ({ index, reason: "contactUnknown" })));
  let size = 4096;
  rows = rows.filter((row, place) => (size += row.size + 320) <= uploads.batchBytes || place === 0);
  const events = rows.map(({ event, owner }) => ({ ...event, contact: rules.referenceOf(link, owner) }));
  return { do: "upload", rows, owner: link.owner, body: { dnd: inApp.isPaused || !s.config.inApp || undefined, events } };
}

/** A response, or none, changes the state. */
export function answer(s, call, response) {
  const { state, now } = s;
  const kind = kinds[call.do];
  let outcome = meaning(response, now);
  if (response.status === 410 && response.code === "erased") return wipe(s, "erased");
  if (response.clientState) {
    state.clientState = response.clientState;
    if (response.clock) {
      // The server read its clock between the call and now, and the page may have slept meanwhile.
      const [least, most] = [now, Math.min(now, response.sentAt ?? now)].map((at) => Math.round((response.clock - at) / 1000));
      state.clockOffset = Math.min(Math.max(state.clockOffset ?? 0, least), most);
    }
  }
  // Only a Belfry server sends the state, with every response; a hotspot's page does not.
  const isBelfrys = response.clientState && !response.isGarbled && (!kind.reads || kind.reads(response.json));
  if (outcome.is === "accepted" && !isBelfrys) outcome = meaning(NOT_BELFRYS, now);
  if (kind.isWithToken) rules.tokenAnswered(state.link, state.gates, outcome, now, s.random());
  kind.done(s, call, outcome, response.json);
}

/** The gate after a response; the site hears of a refusal, and once in a row that the server does not know the app. */
export function gate(s, name, outcome, content, policy) {
  report(s, `${name}Refused`, outcome, s.state.gates[name]);
  return answered(s.state.gates[name], outcome, content, s.now, s.random(), policy);
}

function report(s, type, { is, failure }, former) {
  const isNews = failure?.code === "unknownApp" && former?.error?.code !== "unknownApp";
  if (is === "refused" || isNews) s.reports.push({ type, ...failure });
}
