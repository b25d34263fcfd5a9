// Runs the scenarios of `Conformance/` against this SDK: `node --test Browser/tests/conformance.mjs` [WEB-6].
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";
import { Bindings, matchRequests } from "./support/patterns.mjs";
import { checkAlways } from "./support/always.mjs";

const ROOT = new URL("../../Conformance/", import.meta.url);
// Left out: `push` (a site hands over no token, the browser subscribes), `party` (ID-9), `delay` (REG-12) and `richContent`
// (MC-9), which the browser SDK's specification does not have.
const MEETS = new Set([
  "background", "badge", "contactField", "deviceProperties", "inApp", "messageCenter", "openID", "privacy", "queueLimits", "rejections", "session",
]);
const KEYS = new Set(["format", "title", "proves", "needs", "config", "steps", "note"]);
const REPORTS = new Set(["inapp:viewed", "inapp:click", "inapp:dismiss"]);
const NOTES = new Set(["note", "fails", "results", "returns"]);
const ANSWER = new Set(["on", "times", "status", "error", "json", "text", "headers", "intermediary", "fault", "ifEvent", "rejects", "note"]);

class Run {
  world = new World();
  bindings = new Bindings();
  reports = [];
  seen = { requests: 0, stored: 0 };
  client = null;

  constructor(scenario) {
    this.scenario = scenario;
    const { batchCount, queueCount, ...config } = scenario.config ?? {};
    this.options = {
      appCode: "shop", serverURL: "http://server", ...config, ...(batchCount && { uploads: { batchCount } }), ...(queueCount && { queue: { count: queueCount } }),
    };
  }

  async run() {
    for (const [place, step] of this.scenario.steps.entries()) {
      const keys = Object.keys(step).filter((key) => !NOTES.has(key));
      assert.equal(keys.length, 1, `step ${place} has one key`);
      const [key] = keys;
      assert.ok(this[`do_${key}`], `step ${place}: the runner does not know '${key}'`);
      try {
        await this.call(key, step);
        await this.world.settle();
      } catch (error) {
        error.message = `step ${place} ${JSON.stringify(step).slice(0, 400)}: ${error.message}`;
        throw error;
      }
    }
    checkAlways(this.world.requests, this.scenario);
  }

  async call(key, step) {
    let output;
    try {
      output = await this[`do_${key}`](step[key]);
    } catch (error) {
      if (error instanceof assert.AssertionError || !error.code) throw error;
      if (step.fails) return assert.equal(error.code, step.fails);
      if (step.results) return assert.deepEqual(step.results, [error.code]);
      throw error;
    }
    assert.equal(step.fails, undefined, "it was expected to fail");
    if (!["edit", "identify", "logout"].includes(key)) return;
    const results = (output ?? [{ accepted: true }]).map((result) => (result.accepted ? "accepted" : result.code));
    assert.deepEqual(results, step.results ?? results.map(() => "accepted"));
  }

  async do_launch({ foreground = true, afterErasure }) {
    const { world } = this;
    world.isVisible = foreground;
    const start = Belfry.start({ ...this.options, afterErasure }, () => world.edge());
    await world.settle();
    this.client = await start;
    this.client.on("report", (report) => this.reports.push(report.type));
  }
  do_kill() {
    this.world.kill();
    this.client = null;
  }
  async do_background() {
    this.world.isVisible = false;
    this.world.happen("hidden");
  }
  async do_foreground() {
    this.world.isVisible = true;
    this.world.happen("visible");
  }
  do_pass(duration) { return this.world.pass(duration); }
  do_setClock(by) { this.world.setClock(by); }
  do_serverClock(offset) { this.world.setServerClock(offset); }
  do_network(state) {
    this.world.isOnline = state === "on";
    this.world.happen(state === "on" ? "online" : "offline");
  }
  do_device(changes) {
    Object.assign(this.world.device, changes);
    this.world.happen("languagechange");
  }
  do_server(answers) {
    const { world } = this;
    for (const answer of answers) {
      for (const key of Object.keys(answer)) assert.ok(ANSWER.has(key), `the runner does not know '${key}' of an answer`);
      world.answers = world.answers.filter((other) => other.on !== answer.on || other.left !== Infinity);
      world.answers.push({ ...answer, left: answer.times === "always" ? Infinity : (answer.times ?? 1) });
    }
  }
  do_respond() { this.world.respond(); }
  do_messages(messages) { this.world.messages = messages; }
  do_badge(badge) { this.world.badge = badge; }
  do_inApp(campaigns) { this.world.inApp.campaigns = campaigns; }
  do_pressInApp(button) { this.world.screen.press(button); }
  do_closeInApp() { this.world.screen.close(); }

  do_track({ name, attributes }) { return this.client.track(name, attributes); }
  async do_identify(who) { return [await this.client.identify(who)]; }
  do_logout() { return this.client.logout(); }
  async do_edit(setters) { return this.client.edit((record) => setters.map(([name, ...values]) => record[name](...values))); }
  async do_flush() {
    this.client.flush();
    await this.world.settle();
  }
  do_setTrackingEnabled(isEnabled) { return this.client.setTrackingEnabled(isEnabled); }
  do_wipe() { return this.client.wipe(); }
  do_setMessageCenterEnabled(isEnabled) { return this.client.setMessageCenterEnabled(isEnabled); }
  do_refreshMessages() { return this.client.refreshMessages(); }
  do_markRead(id) { return this.client.markRead(id); }
  do_deleteMessage(id) { return this.client.deleteMessage(id); }

  async do_expect(expected) {
    const { world, bindings, client } = this;
    const requests = world.requests.slice(this.seen.requests);
    const stored = world.stored.slice(this.seen.stored);
    this.seen = { requests: world.requests.length, stored: world.stored.length };
    const reports = this.reports.splice(0);
    const is = (request) => (other) => other.request === request;
    const uploads = requests.filter(is("POST /client/events"));
    const fetches = requests.filter(({ request }) => request.startsWith("GET"));
    const { except = [], fetchesOf = [], ...parts } = expected;
    const check = {
      requests: (pattern) => matchRequests(bindings, pattern, requests.filter((other) => !uploads.includes(other) && !fetches.includes(other))),
      uploads: (pattern) => matchRequests(bindings, pattern, uploads),
      fetches: (pattern) => matchRequests(bindings, pattern, fetches.filter(({ request }) => fetchesOf.includes(request.slice(4)))),
      counts: (counts) => bindings.match(counts, Object.fromEntries(Object.keys(counts).map((key) => [key, requests.filter(is(key)).length]))),
      order: (names) => {
        const places = names.map((name) => requests.findIndex(is(name)));
        assert.ok(places.every((place, index) => place >= 0 && (index === 0 || place > places[index - 1])), `order ${names}: ${places}`);
      },
      registrations: (pattern) => bindings.match(pattern, requests.filter((other) => is("POST /client/registration")(other) && other.arrived).map(({ body }) => body)),
      events: (pattern) => bindings.match(pattern, stored.filter(({ type }) => type !== "internal")),
      internalEvents: (names) => bindings.match(names, stored.filter(({ type, name }) => type === "internal" && !except.includes(name)).map(({ name }) => name)),
      state: async (pattern) => bindings.match(pattern, await client.state()),
      record: async (pattern) => bindings.match(pattern, await client.record()),
      messages: async (pattern) => bindings.match(pattern, (await client.messages()).messages),
      unread: (pattern) => bindings.match(pattern, client.unreadCount),
      badge: async (pattern) => bindings.match(pattern, (await client.state()).badge.count),
      inApp: (pattern) => bindings.match(pattern, world.screen.campaign),
      inAppReports: (pattern) => bindings.match(pattern, stored.filter(({ name }) => REPORTS.has(name)).map(({ name, attributes }) => ({ name, attributes }))),
      reports: (pattern) => bindings.match(pattern, reports),
    };
    for (const [name, pattern] of Object.entries(parts)) {
      if (name === "note") continue;
      assert.ok(check[name], `the runner does not know '${name}' of an expectation`);
      try {
        await check[name](pattern);
      } catch (error) {
        error.message = `${name}: ${error.message}`;
        throw error;
      }
    }
  }
}

const files = readdirSync(ROOT, { recursive: true }).filter((name) => /\/.*\.json$/.test(name)).sort();
const read = (file) => JSON.parse(readFileSync(new URL(file, ROOT), "utf8"));
const missingOf = ({ needs = [] }) => needs.filter((need) => !MEETS.has(need));

test("WEB-6: the table of Conformance/README.md says how many scenarios each SDK runs, and what this one leaves out", () => {
  const rows = new Map();
  for (const file of files) {
    const [folder] = file.split("/");
    const { count, left, needs } = rows.get(folder) ?? { count: 0, left: 0, needs: new Set() };
    const missing = missingOf(read(file));
    rows.set(folder, { count: count + 1, left: left + (missing.length ? 1 : 0), needs: new Set([...needs, ...missing]) });
  }
  const lines = [...rows].map(([folder, { count, left, needs }]) =>
    `| \`${folder}\` | ${count} | ${count} | ${count - left} | ${[...needs].sort().map((need) => `\`${need}\``).join(", ")} |`);
  const text = readFileSync(new URL("README.md", ROOT), "utf8");
  for (const line of lines) assert.ok(text.includes(`${line.replace(" |  |", " | |")}\n`), `the table lacks: ${line}`);
});

const only = process.env.SCENARIO;
for (const file of files) {
  if (only && !file.includes(only)) continue;
  const scenario = read(file);
  const missing = missingOf(scenario);
  test(`${file}: ${scenario.title} [${scenario.proves.join(", ")}]`, { skip: missing.length ? `needs ${missing.join(", ")}` : false }, async () => {
    assert.equal(scenario.format, 1);
    for (const key of Object.keys(scenario)) assert.ok(KEYS.has(key), `the runner does not know '${key}'`);
    await new Run(scenario).run();
  });
}
