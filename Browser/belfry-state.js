// The state (README.md)
export class BelfryError extends Error {
  constructor(code, message, field) {
    super(message);
    Object.assign(this, { name: "BelfryError", code, field });
  }
}

export const VERSION = /\/sdk\/([^/]+)\//.exec(import.meta.url)?.[1] ?? "0";

export const freshState = (id) => ({
  id, order: 0, isTracking: true, gates: {}, appState: "backgroundWake", properties: {}, push: {}, inApp: {},
  uploads: { inARow: 0 },
  link: { owner: 0, person: 0, pending: [], references: {} },
  tags: { former: [], present: [], firstOwner: 0 },
  record: {
    contactKey: null, contactField: null, attributes: {}, tags: [], pushEnabled: true, osPushEnabled: null, pushToken: null,
    system: {},
  },
  registration: { revision: 0 },
  centers: { isEnabled: false, generation: 0, marks: 0, seenMarks: 0 },
  badge: { count: 0, revision: 0 },
});

export const digestOf = ({ record, link }) => recordDigest(record, link.person);

export const MINUTE = 60_000;
export const DAY = 1440 * MINUTE;

export function closed(gate = {}, content, now) {
  const [refusal, until] = [gate.refusedAt + DAY, gate.since + gate.delay];
  if (gate.refused === content && refusal > now) return { until: refusal, reason: "refused" };
  if (until > now) return { until, reason: "backingOff" };
}

export const isRefused = (gate, content, now) => closed(gate, content, now)?.reason === "refused";

export function networkReturned(gates) {
  for (const gate of Object.values(gates)) if (gate.cause === "network") gate.delay = 0;
}

/** REG-7 */
export function returned(state) {
  state.returns = (state.returns ?? 0) + 1;
  networkReturned(state.gates);
}

export function rebase(now, ...values) {
  for (const value of values) {
    for (const key of ["since", "refusedAt", "changedAt", "attemptAt", "fetchedAt"]) if (value[key] > now) value[key] = now;
  }
}

/** REG-6 */
export function siteOpened({ registration, ...gates }) {
  for (const gate of Object.values(gates)) if (gate.delay) gate.delay = Math.min(gate.delay, Math.max(15 * MINUTE, gate.asked));
}

export function digest(value) {
  let [a, b] = [0x811c9dc5, 1];
  for (const unit of new TextEncoder().encode(JSON.stringify(value))) {
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit ^ (a >>> 15), 0x5bd1e995);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

export function noticed(schedule, record, now) {
  schedule.changedAt = record === schedule.accepted ? null : (schedule.changedAt ?? now);
}

/** EVT-6 */
export function launched(state, now, timeout, isAlone) {
  const open = state.session;
  if (open && isAlone) open.leftAt ??= open.seenAt;
  return timePassed(state, now, timeout);
}

export function shown(state, now, timeout, id, isStart) {
  const events = timePassed(state, now, timeout);
  if (state.session) Object.assign(state.session, { leftAt: null, seenAt: now });
  else {
    if (isStart) events.push(["app:start", now]);
    events.push(begin(state, now, id));
  }
  return events;
}

export function hidden({ session }, now) {
  if (session) session.leftAt ??= session.seenAt = Math.max(now, session.startedAt);
}

export function timePassed(state, now, timeout) {
  const left = state.session?.leftAt;
  return left == null || (now >= left && now - left < timeout) ? [] : end(state, left);
}

export function handOver(state, now, id) {
  if (!state.session) return [];
  const left = state.session.leftAt;
  const events = end(state, left ?? Math.max(now, state.session.startedAt));
  return left == null ? [...events, begin(state, now, id)] : events;
}

function begin(state, now, id) {
  state.session = { id, startedAt: now, seenAt: now, leftAt: null };
  return ["session:start", now, id];
}

function end(state, at) {
  const { id, startedAt } = state.session;
  state.session = null;
  return [["session:end", at, id, { duration: Math.max(0, at - startedAt) }]];
}

export const MOST_PENDING = 16;
const MOST_TAGS = 256;

export const wanted = (link) => link.pending.at(-1) ?? link.linked;
export const anonymous = ({ owner, person }) => ({ owner, person, target: "anonymous" });
export const content = ({ target, body }) => digest([target, body]);

/** ID-1 */
export function linkLaunched(link) {
  const { linked } = link;
  if (link.tokens || link.pending.length) return;
  const isAgain = linked && (linked.body || linked.target === "anonymous");
  if (linked && !isAgain) link.owner += 1;
  link.pending = [isAgain ? linked : anonymous(link)];
}

/** ID-3 */
export function identify(link, gates, target, body, now) {
  const present = wanted(link);
  const next = { ...anonymous(link), target, body };
  const last = link.pending.length - 1;
  if (present?.target === target) {
    if (last >= 0) present.body = body;
  } else if (present?.target === "anonymous" && isRefused(gates.link, content(next), now)) {
    if (present.person !== link.person) append(link, anonymous(link));
  } else if (!present || (last >= 0 && present.target === "anonymous" && present.person === link.person)) {
    // ID-8
    link.pending.splice(Math.max(last, 0), 1, next);
  } else append(link, next);
}

function append(link, next) {
  link.owner += 1;
  link.pending.splice(MOST_PENDING - 1, 1);
  link.pending.push({ ...next, owner: link.owner });
}

/** ID-4 */
export function unlink(link, hadKey) {
  const present = wanted(link);
  if (!present || (present.target === "anonymous" && !hadKey && link.subject == null)) return;
  link.subject = null;
  link.person += 1;
  if (link.linked?.body) link.linked = { ...link.linked, target: content(link.linked), body: undefined };
  append(link, anonymous(link));
}

export function personChanged(tags, owner) {
  const former = [...new Set([...tags.former, ...tags.present])].slice(-MOST_TAGS);
  Object.assign(tags, { former, present: [], firstOwner: owner });
}

export const refuse = (code, message, field) => {
  throw new BelfryError(code, message, field);
};
export const bytes = (text) => new TextEncoder().encode(text).length;
export const jsonBytes = (value) => bytes(JSON.stringify(value));
const isLong = (text, most) => [...text].length > most || bytes(text) > 1024;
/** WIRE-23 */
const wellFormed = (text) => text.replace(/\p{Cs}/gu, "\ufffd");
export const checkNull = (text, what) =>
  text.includes("\0") && refuse("invalidCharacter", `${what} cannot contain the null character.`);

export const invalid = (field, what, code = "invalidArgument", prefix = "") => refuse(code, `${prefix}${field} must be ${what}.`, field);

export function flag(value, field) {
  if (typeof value !== "boolean") invalid(field, "true or false");
  return value;
}

export function fieldsOf(raw, code, prefix) {
  if (raw != null && {}.toString.call(raw) !== "[object Object]") invalid("attributes", "an object of names and values", code, prefix);
  return { ...raw };
}

export function word(raw, what, most) {
  if (typeof (raw ?? "") !== "string") refuse("wrongType", `${what} is a string.`);
  const text = wellFormed(raw ?? "").trim().normalize("NFC");
  if (!text) refuse("blank", `${what} cannot be empty or blank.`);
  if (isLong(text, most)) refuse("tooLong", `${what} has at most ${most} characters, in 1,024 bytes.`);
  checkNull(text, what);
  return text;
}

export function contactKey(raw) {
  const key = word(raw, "A contact key", 255);
  const [prefix] = /^(anonymous|field|party):/.exec(key) ?? [];
  if (prefix) refuse("reservedPrefix", `A contact key cannot begin with '${prefix}'.`);
  return key;
}

export function scalar(raw, refused) {
  if (typeof raw === "string") return wellFormed(raw);
  if (raw instanceof Date && !isNaN(raw)) return raw.toISOString();
  return typeof raw === "boolean" || Number.isFinite(raw) ? raw : refused("A value is a string, a finite number, a boolean or a valid Date.");
}

export function eventName(raw) {
  const name = typeof raw === "string" ? wellFormed(raw).trim() : "";
  if (name && !isLong(name, 128) && !name.includes("\0")) return name;
  invalid("name", "a string of 1 to 128 characters, none of them null", "invalidEvent", `Event '${name.slice(0, 40)}': `);
}

export function makeEvent(type, rawName, attributes, { id, at, sessionId }) {
  const name = eventName(rawName);
  const invalid = (message, field) => refuse("invalidEvent", `Event '${name}', ${field}: ${message}`, field);
  const pairs = Object.entries(attributes ?? {}).map(([key, raw]) => {
    const field = `attributes.${key}`;
    const value = scalar(raw, (message) => invalid(message, field));
    if (!key || `${key}${value}`.includes("\0")) invalid("An attribute has a name, and no null character.", field);
    return [wellFormed(key), value];
  });
  const event = { id, type, name, timestamp: new Date(at).toISOString(), sessionId };
  if (pairs.length) event.attributes = Object.fromEntries(pairs);
  const size = jsonBytes(event);
  if (pairs.length > 64 || size > 65_536) invalid("An event has at most 64 attributes and 65,536 bytes.", "attributes");
  return { event, size, at };
}

export const purge = (record) => Object.assign(record, { contactKey: null, contactField: null, attributes: {}, tags: [] });

/** REG-30, ID-3 */
export const reported = (record) => ({
  ...record,
  pushToken: record.osPushEnabled ? record.pushToken : null,
  contactKey: record.contactField == null ? record.contactKey : null,
});

export function recordDigest(record, person) {
  const { lastOpenedAt, contactField, attributes, tags, ...rest } = reported(record);
  return digest([person, Object.entries(attributes).sort(), [...tags].sort(), rest]);
}

export function isOtherField(record, field, standard) {
  const [present, next] = [record.contactField ?? standard, field ?? standard];
  return record.contactKey != null && present != null && next != null && present !== next;
}

/** Whether it is another person. */
export function nameContact(record, key, field, standard, wasProven) {
  const isOther = wasProven || (record.contactKey != null && record.contactKey !== key) || isOtherField(record, field, standard);
  const next = field ?? standard;
  if (isOther) purge(record);
  if (next != null) record.contactField = next === standard ? null : next;
  else if (record.contactKey !== key) record.contactField = null;
  record.contactKey = key;
  return isOther;
}

export const suspension = (rest) =>
  new BelfryError(rest, `The client was ${rest}. Start it again${rest === "erased" ? " with afterErasure" : ""}.`);

export function track(s, type, name, attributes, given = {}) {
  const { owner = s.state.link.owner, id = s.uuid(), at = s.now, sessionId = s.state.session?.id } = given;
  const row = makeEvent(type, name, attributes, { id, at, sessionId });
  if (s.state.isTracking && !s.state.rest) s.append.push({ ...row, owner });
}

export function addSession(s, [name, at, sessionId, attributes], owner) {
  const dropped = s.queue.droppedFull + s.queue.droppedOld;
  track(s, "internal", name, name === "app:start" && dropped ? { droppedEvents: dropped } : attributes, { owner, at, sessionId });
}

export function launch(s, { isAlone, afterErasure }) {
  const { state, now, config } = s;
  state.serverURL = config.serverURL;
  if (state.rest === "wiped" || afterErasure) state.rest = null;
  if (state.rest) return s.reports.push({ type: state.rest });
  rebase(now, state.registration, state.centers, ...Object.values(state.gates));
  linkLaunched(state.link);
  for (const event of launched(state, now, config.sessionTimeout, isAlone)) addSession(s, event, state.link.owner);
  if (!isAlone) return;
  state.appState = "backgroundWake";
  state.inApp.isPaused = false;
}

export function readBrowser(s, { system, permission }) {
  if (s.state.rest) return;
  Object.assign(s.state.record, { system, osPushEnabled: { granted: true, denied: false }[permission] ?? null });
  noticed(s.state.registration, digestOf(s.state), s.now);
}

export function show(s, isStart) {
  const { state, now, config } = s;
  const isReturn = state.appState !== "foreground";
  state.appState = "foreground";
  if (state.rest) return;
  const events = state.isTracking ? shown(state, now, config.sessionTimeout, s.uuid(), isStart) : [];
  for (const event of events) addSession(s, event, state.link.owner);
  state.record.lastOpenedAt = now;
  state.uploads.isFlushing = true;
  if (!isReturn) return;
  returned(state);
  siteOpened(state.gates);
}

export function hide(s) {
  const { state, now } = s;
  s.isNews = true;
  if (state.appState === "foreground") state.appState = "background";
  hidden(state, now);
  state.uploads.isFlushing = true;
}

/** REG-8: `change` says whether it is another person. */
export function changeContact(s, change) {
  const { state, now } = s;
  if (state.rest) return suspension(state.rest);
  const { owner } = state.link;
  if (change(state, now)) personLeft(s);
  contactChanged(s, owner);
  noticed(state.registration, digestOf(state), now);
}

export function logout(s) {
  const { state } = s;
  const hadKey = state.record.contactKey != null;
  const { owner } = state.link;
  const refusal = changeContact(s, () => {
    purge(state.record);
    unlink(state.link, hadKey);
    return state.link.owner !== owner;
  });
  if (!refusal) forgetMessages(s);
}

function personLeft(s) {
  const { state } = s;
  personChanged(state.tags, state.link.owner);
  state.badge.count = 0;
  state.push.isStale = state.push.isStale || state.record.pushToken != null;
  s.isNews = true;
}

export function link(state, key, field, standard, hadOtherField, now) {
  const present = wanted(state.link)?.body?.contactFieldValue;
  state.link.subject = null;
  if (field == null && !hadOtherField && present === key) return;
  const used = field ?? standard;
  identify(state.link, state.gates, `known:${used ?? ""}:${key}`, { contactFieldId: used, contactFieldValue: key }, now);
}

/** EVT-6 */
export function contactChanged(s, former) {
  const { state } = s;
  if (state.link.owner === former) return false;
  forgetMessages(s);
  const events = handOver(state, s.now, s.uuid());
  events.forEach((event, place) => addSession(s, event, place ? state.link.owner : former));
  return true;
}

/** MC-12, IAM-11 */
export function forgetMessages({ state, messages }) {
  Object.assign(messages, { centers: [], disabled: [] });
  Object.assign(state.centers, { generation: state.centers.generation + 1, fetchedAt: null });
  Object.assign(state.inApp, { due: null, actions: null });
}
