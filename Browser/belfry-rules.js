// Decisions of the tab that leads, as functions of state and time (REG-2 to REG-7, EVT-2 to EVT-5, ID-1 to ID-7).
import { anonymous, closed, content, DAY, isRefused, linkLaunched, MINUTE, MOST_PENDING } from "./belfry-state.js";

/** Growing delays: the first, the longest, and the part that is added at random. */
export const CALLS = { first: 2000, most: DAY, jitter: 0.5 };
export const REGISTRATIONS = { first: MINUTE, most: DAY, jitter: 0.25 };

/** The gate after a response, or none. A `Retry-After` is a minimum. */
export function answered(gate, { is, failure: error, cause, retryAfter = 0 }, content, now, random, policy) {
  if (is === "accepted") return {};
  if (is === "unauthorized") return { ...gate, error };
  if (is === "refused") return { refused: content, refusedAt: now, error };
  const failures = (gate?.failures ?? 0) + 1;
  const growing = policy.first * 2 ** Math.min(failures - 1, 40);
  const asked = Math.min(retryAfter, DAY);
  const delay = Math.max(Math.min(policy.most, growing * (1 + policy.jitter * random)), asked);
  return { failures, since: now, delay, asked, cause, error };
}

/** What a response means. Only a 4xx with a code is Belfry's; any other came from something in front of it. */
export function meaning({ status, code, message, retryAfter }, now) {
  const failure = { status, code, message: String(message ?? `Status ${status ?? "unknown"}.`).slice(0, 200), at: now };
  const failed = (cause) => ({ is: "failed", failure, cause, retryAfter: cause === "server" ? retryAfter : 0 });
  if (status >= 200 && status < 300) return { is: "accepted" };
  if ([408, 425, 429].includes(status) || (status >= 500 && status !== 511) || code === "unknownApp") return failed("server");
  if (!(status >= 400) || !code || status === 511) return failed("network");
  return { is: status === 401 ? "unauthorized" : "refused", failure };
}

/** Another reading of a failure: of a call that no token helps, or that is repeated whatever the response is. */
export const as = (outcome, is, ...from) =>
  (from.includes(outcome.is) ? { ...outcome, is, cause: outcome.cause ?? "server" } : outcome);

export function nextRegistration(schedule, gate, record, now, { appState, isHurried }) {
  if (record === schedule.accepted) return { idle: "nothingChanged" };
  if (appState === "backgroundWake") return { idle: "backgroundWake" };
  let wait = { until: schedule.attemptAt + MINUTE, reason: "throttled" };
  const isCollecting = schedule.accepted && schedule.changedAt != null && !isHurried;
  const collecting = { until: schedule.changedAt + 10_000, reason: "collectingEdits" };
  for (const other of [isCollecting && collecting, closed(gate, record, now)]) {
    if (other?.until > wait.until) wait = other;
  }
  if (schedule.attemptAt != null && wait.until > now) return wait;
  const reason = schedule.attemptAt == null ? "first" : schedule.accepted && !gate?.failures ? "changed" : "retry";
  return { do: "register", reason };
}

/** If the server knew this revision or a higher one it ignored this one, and the record stays pending above (REG-21). */
export function registered(schedule, record, sent, known, current, status) {
  schedule.revision = Math.max(schedule.revision, known);
  if (known <= sent && status !== "superseded") Object.assign(schedule, { accepted: record, acceptedRevision: sent });
  schedule.changedAt = current === schedule.accepted ? null : schedule.attemptAt;
}

export function nextUpload(uploads, gate, queue, now, policy) {
  if (!queue.count) return {};
  const send = { do: "upload", count: uploads.limit ?? policy.batchCount };
  const isDue = uploads.isFlushing || uploads.limit || queue.count >= policy.flushCount || queue.bytes >= policy.flushBytes;
  const until = queue.oldestAt + policy.flushAge;
  // An event from the future was tracked before the clock was set back, and has waited long enough.
  const isEarly = !isDue && queue.oldestAt <= now && until > now;
  return closed(gate, undefined, now) ?? (isEarly ? { until, reason: "collectingEvents" } : send);
}

/** What becomes of the batch: `stored`, `kept`, `heldBack` (the site is told) or a `deadLetter` of one event. */
export function uploaded(uploads, gates, outcome, count, now, random) {
  const { is, failure } = outcome;
  uploads.error = failure ?? null;
  if (is === "accepted") {
    gates.uploads = {};
    Object.assign(uploads, { inARow: 0, limit: uploads.limit && uploads.limit < 128 ? uploads.limit * 2 : null });
    return "stored";
  }
  if (is === "unauthorized") return "kept";
  const isContent = is === "refused" && [400, 413, 415, 422].includes(failure.status);
  const isTrusted = isContent && uploads.inARow < 10;
  if (isTrusted) gates.uploads = {};
  if (count > 1 && (isContent || (failure.status === 413 && !failure.code))) {
    uploads.limit = count >> 1;
    return "kept";
  }
  if (isTrusted) {
    uploads.inARow += 1;
    return "deadLetter";
  }
  gates.uploads = answered(gates.uploads, as(outcome, "failed", "refused"), undefined, now, random, CALLS);
  return is === "refused" || failure.code === "unknownApp" ? "heldBack" : "kept";
}

export function nextLink(link, gates, now) {
  const [first] = link.pending;
  return first ? (closed(gates.link, content(first), now) ?? { do: "link", link: first }) : nextToken(link, gates, now);
}

export function nextToken(link, gates, now) {
  if (!link.tokens) return { idle: "waitingForContact" };
  return link.isExpired ? (closed(gates.refresh, undefined, now) ?? { do: "refresh" }) : { ready: true };
}

/** An anonymous link of another person than before asks for a contact with nothing of the former one's. */
export const needsFresh = ({ linked }, next) => linked != null && next.target === "anonymous" && linked.person !== next.person;

/** The next link changes the person whom the server has. */
export const leavesPerson = ({ linked, pending }) => linked != null && pending.length > 0 && linked.person !== pending[0].person;

/** The server refuses an anonymous contact, so there the browser is still the former person's. */
export const isStranded = (link, gates, now) => leavesPerson(link) && link.pending[0].target === "anonymous" &&
  isRefused(gates.link, content(link.pending[0]), now);

export function linked(link, tags, gates, done, { contactReference, contactToken, refreshToken }) {
  // The token of an identity provider is kept only until now.
  const made = done.body?.openIdToken ? { ...done, body: undefined } : done;
  Object.assign(link, { tokens: { contactToken, refreshToken }, isExpired: false, isProven: false, linked: made });
  link.references[done.owner] = contactReference;
  gates.link = {};
  const [first] = link.pending;
  if (first?.owner === done.owner && first.target === done.target) link.pending.shift();
  const tag = tagOf(contactReference);
  if (!tag) return;
  if (done.owner >= tags.firstOwner) {
    tags.former = tags.former.filter((other) => other !== tag);
    if (!tags.present.includes(tag)) tags.present.push(tag);
  } else if (!tags.present.includes(tag)) tags.former.push(tag);
}

export function linkFailed(link, gates, tried, outcome, now, random) {
  gates.link = answered(gates.link, as(outcome, "refused", "unauthorized"), content(tried), now, random, CALLS);
  giveWay(link, gates, now);
}

/** Events and registrations do not wait for a contact that the server refuses: an anonymous one takes its place. */
export function giveWay(link, gates, now) {
  const [first] = link.pending;
  if (!first || first.target === "anonymous" || !isRefused(gates.link, content(first), now)) return;
  const { linked: present, references } = link;
  const instead = anonymous(first);
  if (link.tokens && present?.target === "anonymous" && present.person === first.person && references[present.owner]) {
    link.pending.shift();
    references[first.owner] = references[present.owner];
    link.linked = instead;
    giveWay(link, gates, now);
  } else link.pending[0] = instead;
}

/** What a response says about the contact token with which the call was made (ID-6). */
export function tokenAnswered(link, gates, outcome, now, random) {
  if (outcome.is === "accepted" && !link.isExpired) {
    link.isProven = true;
    gates.refresh = {};
  } else if (outcome.is === "unauthorized") {
    // A fresh token that is refused, too, must not cause an endless loop of refreshes.
    if (!link.isProven) refreshFailed(link, gates, { ...outcome, failure: { ...outcome.failure, code: "401" } }, now, random);
    Object.assign(link, { isExpired: true, isProven: false });
  }
}

/** Whether the server no longer knows the refresh token: then the browser links anew. */
export function refreshFailed(link, gates, outcome, now, random) {
  const isForgotten = outcome.failure.status === 400 && outcome.failure.code === "1101";
  if (isForgotten) {
    Object.assign(link, { tokens: null, isExpired: false, isProven: false });
    linkLaunched(link);
  } else {
    gates.refresh = answered(gates.refresh, as(outcome, "failed", "unauthorized", "refused"), undefined, now, random, CALLS);
  }
  return isForgotten;
}

/** Those of the last few contacts stay: an event may be stored after the next contact was linked. */
export function forgetOwners(link, oldest) {
  const lowest = Math.min(oldest, link.linked.owner) - MOST_PENDING;
  for (const owner of Object.keys(link.references)) if (owner < lowest) delete link.references[owner];
}

/** With what an event leaves: null for the contact that the token names, undefined if its own is not known any more. */
export const referenceOf = (link, owner) => link.references[owner] ?? (owner === link.owner ? null : undefined);

const tagOf = (reference) => (reference?.[12] === "." ? reference.slice(0, 12) : undefined);
