// The decisions, as tests that know neither Node nor a browser: each is a name and a function that throws.
import * as rules from "../belfry-rules.js";
import * as state from "../belfry-state.js";
import { RecordEdit } from "../belfry-edit.js";

export const tests = [];
const test = (name, run) => tests.push({ name, run });
const text = (value) => JSON.stringify(value);
const equal = (actual, expected) => {
  if (text(actual) !== text(expected)) throw new Error(`${text(actual)}, not ${text(expected)}`);
};
const { MINUTE, DAY } = state;

test("EVT-5: delays double from two seconds up to a day, with jitter, and not below Retry-After", () => {
  const failed = { is: "failed", failure: {}, cause: "server" };
  let gate;
  const delays = [];
  for (let count = 0; count < 20; count += 1) delays.push((gate = rules.answered(gate, failed, undefined, 0, 0, rules.CALLS)).delay);
  equal(delays.slice(0, 4), [2000, 4000, 8000, 16_000]);
  equal(delays.at(-1), DAY);
  equal(rules.answered(undefined, failed, undefined, 0, 1, rules.CALLS).delay, 3000);
  equal(rules.answered(undefined, { ...failed, retryAfter: 90_000 }, undefined, 0, 0, rules.CALLS).delay, 90_000);
});

test("REG-6: a refused content waits for a day, another one does not", () => {
  const gate = rules.answered(undefined, { is: "refused", failure: {} }, "a", 0, 0, rules.CALLS);
  equal(state.closed(gate, "a", DAY - 1).reason, "refused");
  equal(state.closed(gate, "a", DAY), undefined);
  equal(state.closed(gate, "b", 1), undefined);
});

test("REG-6, EVT-4: only a 4xx with a code is the server's", () => {
  const is = (response) => { const { is: what, cause } = rules.meaning(response, 0); return [what, cause]; };
  equal(is({ status: 204 }), ["accepted", undefined]);
  equal(is({ status: 400, code: "invalidBody" }), ["refused", undefined]);
  equal(is({ status: 401, code: "contactTokenExpired" }), ["unauthorized", undefined]);
  equal(is({ status: 403 }), ["failed", "network"]);
  equal(is({ status: 511 }), ["failed", "network"]);
  equal(is({ status: 503 }), ["failed", "server"]);
  equal(is({ status: 400, code: "unknownApp" }), ["failed", "server"]);
  equal(is({}), ["failed", "network"]);
});

test("REG-2 to REG-4: at once first, then collected, and at most once a minute", () => {
  const schedule = { revision: 0 };
  const next = (record, now, isHurried = false) => rules.nextRegistration(schedule, undefined, record, now, { appState: "foreground", isHurried });
  equal(next("a", 0), { do: "register", reason: "first" });
  Object.assign(schedule, { attemptAt: 0, revision: 1 });
  rules.registered(schedule, "a", 1, 1, "a");
  equal(next("a", 5), { idle: "nothingChanged" });
  state.noticed(schedule, "b", 5 * MINUTE);
  equal(next("b", 5 * MINUTE), { until: 5 * MINUTE + 10_000, reason: "collectingEdits" });
  equal(next("b", 5 * MINUTE, true), { do: "register", reason: "changed" });
  state.noticed(schedule, "a", 5 * MINUTE);
  equal(schedule.changedAt, null);
  Object.assign(schedule, { attemptAt: 5 * MINUTE });
  equal(next("b", 5 * MINUTE + 1).reason, "throttled");
});

test("REG-21: if the server knows a higher revision, the record stays pending above it", () => {
  const schedule = { revision: 3, accepted: null, attemptAt: 7 };
  rules.registered(schedule, "a", 3, 9, "a");
  equal([schedule.revision, schedule.accepted, schedule.changedAt], [9, null, 7]);
});

test("REG-21: if the server knew the very revision from before, the record stays pending above it", () => {
  const schedule = { revision: 3, accepted: null, attemptAt: 7 };
  rules.registered(schedule, "a", 3, 3, "a", "superseded");
  equal([schedule.revision, schedule.accepted, schedule.changedAt], [3, null, 7]);
  rules.registered(schedule, "a", 4, 4, "a", "received");
  equal([schedule.revision, schedule.accepted, schedule.acceptedRevision, schedule.changedAt], [4, "a", 4, null]);
});

test("EVT-6: a session over two pages is one; one that a dead tab left ends when it was last seen", () => {
  const known = {};
  equal(state.shown(known, 0, 30_000, "s1", true).map(([name]) => name), ["app:start", "session:start"]);
  state.hidden(known, 1000);
  equal(state.shown(known, 20_000, 30_000, "s2", true), []);
  known.session.seenAt = 50_000;
  equal(state.launched(known, 200_000, 30_000, false), []);
  equal(state.launched(known, 200_000, 30_000, true), [["session:end", 50_000, "s1", { duration: 50_000 }]]);
});

test("ID-3, ID-4: the same login sends nothing, a logout links a fresh contact, and each has its own number", () => {
  const { link, gates } = state.freshState("id");
  state.linkLaunched(link);
  state.identify(link, gates, "known::anna", { contactFieldValue: "anna" }, 0);
  equal(link.pending.map(({ owner, target }) => [owner, target]), [[0, "known::anna"]]);
  rules.linked(link, { former: [], present: [], firstOwner: 0 }, gates, link.pending[0], { contactToken: "t", refreshToken: "r", contactReference: "tag-00000001.x" });
  state.identify(link, gates, "known::anna", { contactFieldValue: "anna" }, 0);
  equal(link.pending, []);
  state.unlink(link, true);
  equal(link.pending.map(({ owner, target }) => [owner, target]), [[1, "anonymous"]]);
  equal(rules.needsFresh(link, link.pending[0]), true);
  if (text(link.linked).includes("anna")) throw new Error("the key of the person who left is still there");
});

test("ID-6: a fresh token that is refused, too, waits before the next refresh", () => {
  const { link, gates } = state.freshState("id");
  link.tokens = { contactToken: "t", refreshToken: "r" };
  const refused = { is: "unauthorized", failure: { status: 401, code: "contactTokenExpired" } };
  link.isProven = true;
  rules.tokenAnswered(link, gates, refused, 0, 0);
  equal(rules.nextToken(link, gates, 0), { do: "refresh" });
  link.isExpired = false;
  rules.tokenAnswered(link, gates, refused, 0, 0);
  equal(rules.nextToken(link, gates, 0), { until: 2000, reason: "backingOff" });
});

test("ID-7: an event whose contact is not known any more is sent as nobody else's", () => {
  const link = { owner: 3, references: { 1: "one" } };
  equal([rules.referenceOf(link, 1), rules.referenceOf(link, 3), rules.referenceOf(link, 2) === undefined], ["one", null, true]);
});

test("EVT-4: a refused batch is halved, a refused event set aside, and after ten in a row the next one stays", () => {
  const uploads = { inARow: 0 };
  const refused = { is: "refused", failure: { status: 400, code: "invalidBody" } };
  equal([rules.uploaded(uploads, {}, refused, 9, 0, 0), uploads.limit], ["kept", 4]);
  const gates = {};
  for (let count = 0; count < 10; count += 1) equal(rules.uploaded(uploads, gates, refused, 1, 0, 0), "deadLetter");
  equal(rules.uploaded(uploads, gates, refused, 1, 0, 0), "heldBack");
});

test("REG-8 to REG-11: an edit is a transaction, and says what it refuses", () => {
  const record = { ...state.freshState("id").record, contactKey: "anna", attributes: { city: "Paris" }, tags: ["old"] };
  const edit = new RecordEdit(record, { wasProven: false });
  equal(edit.setAttribute(" shoe ", 42), { accepted: true });
  equal(edit.setContactKey("bert").accepted, true);
  equal([edit.attributes, edit.tags, edit.isOther], [{ shoe: 42 }, [], true]);
  equal(edit.setAttribute("DeviceID", "x").code, "reservedWord");
  equal(edit.setAttribute("x", null).code, "missingValue");
  equal(edit.setContactKey("  ").code, "blank");
  equal(edit.addTag("cafe\u0301").accepted, true);
  equal(edit.tags, ["café"]);
  equal(edit.addTag("x".repeat(129)).code, "tooLong");
});

test("EVT-8: an event beyond a limit is refused with the field", () => {
  const code = (run) => {
    try {
      run();
      return null;
    } catch (error) {
      return [error.code, error.field];
    }
  };
  const made = { id: "1", at: 0 };
  equal(code(() => state.makeEvent("custom", " ", {}, made)), ["invalidEvent", "name"]);
  equal(code(() => state.makeEvent("custom", "a", { n: NaN }, made)), ["invalidEvent", "attributes.n"]);
  equal(code(() => state.makeEvent("custom", "a", { n: "x".repeat(70_000) }, made)), ["invalidEvent", "attributes"]);
  equal(state.makeEvent("custom", " a ", { at: new Date(0) }, made).event.attributes, { at: "1970-01-01T00:00:00.000Z" });
});
