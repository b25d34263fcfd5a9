// A page whose storage fails, is full, or is cleared under it: what does not need it goes on, and what comes later works (WEB-3).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { openStore } from "../belfry-store.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.mjs";
import { afterTurns } from "./support/turns.mjs";
import { World } from "./support/world.mjs";

// The patience of the storage, in turns of the loop: a machine that stands still takes nobody's away.
globalThis.setTimeout = afterTurns;

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

class Page {
  reports = [];

  constructor() {
    this.world = new World();
    this.world.isVisible = true;
    this.storage = globalThis.indexedDB = new FakeIndexedDB();
  }

  async start(edge = {}, options = {}) {
    const open = () => openStore("shop");
    this.belfry = await Belfry.start({ appCode: "shop", serverURL: "http://server", ...options }, () => Object.assign(this.world.edge(), { open }, edge));
    this.belfry.on("report", (report) => this.reports.push(report.type));
    await this.settle();
    return this;
  }

  /** A step of this storage takes more turns than those of the world's own. */
  async settle() {
    for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await this.world.settle();
  }
  async pass(duration) {
    for (let passed = 0; passed < duration; passed += 1000) {
      await this.world.pass(1000);
      await this.settle();
    }
  }
  async stop() {
    await this.belfry.stop();
    this.world.kill();
  }
  get names() { return this.world.stored.filter(({ type }) => type === "custom").map(({ name }) => name); }
}

test("WEB-3: a database that is never opened makes the start reject; the site does not wait for ever", async () => {
  const page = new Page();
  page.storage.faults.open = "hang";
  await assert.rejects(page.start(), { code: "storageUnavailable" });
});

test("WEB-3: where both databases are damaged, or the state lacks what no check has seen, the start rejects as without storage", async () => {
  const damages = [{ link: 7 }, { link: { pending: [] }, record: { tags: [] } }];
  for (const damage of damages) {
    const page = await new Page().start();
    await page.stop();
    for (const name of ["belfry-shop", "belfry-shop.2"]) {
      page.storage.stored.set(name, new Map([["kept", { rows: new Map([["state", damage]]), last: 0 }], ["events", { rows: new Map(), last: 0 }]]));
    }
    await assert.rejects(page.start(), { name: "BelfryError", code: "storageUnavailable" });
    assert.deepEqual(unhandled.splice(0), []);
    page.world.kill();
  }
});

test("WEB-2: a call whose change is stored resolves, although the storage fails before the page has made it known", async () => {
  const page = await new Page().start();
  const identified = page.belfry.identify("anna");
  for (let turn = 0; turn < 3000 && page.storage.get("kept", "state").record.contactKey !== "anna"; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  page.storage.faults = { transaction: "InvalidStateError" };
  assert.deepEqual(await identified, { accepted: true });
  await page.settle();
  assert.ok(page.reports.includes("callFailed"), String(page.reports));
  page.storage.faults = {};
  assert.equal((await page.belfry.record()).contactKey, "anna");
  assert.deepEqual(unhandled.splice(0), []);
  await page.stop();
});

for (const end of ["clear", "deleteBySite"]) {
  test(`WEB-3: site data that is cleared under an open page (${end}) leads to a new installation, and is reported`, async () => {
    const page = await new Page().start();
    await page.belfry.identify("anna");
    await page.belfry.track("before");
    await page.settle();
    await page.pass(2000);
    const { deviceId } = await page.belfry.state();
    page.storage[end]();
    await page.belfry.track("after");
    await page.settle();
    await page.pass(5000);
    assert.deepEqual(page.names, ["before", "after"]);
    assert.deepEqual(page.reports, ["storageCleared"]);
    const state = await page.belfry.state();
    assert.notEqual(state.deviceId, deviceId);
    assert.deepEqual([state.contact, state.linkIsPending], ["anonymous", false]);
    assert.deepEqual(await page.belfry.identify("anna"), { accepted: true });
    await page.settle();
    await page.pass(2000);
    assert.equal((await page.belfry.state()).contact, "known");
    assert.deepEqual(unhandled.splice(0), []);
    await page.stop();
  });
}

test("REG-36: site data that is cleared under an open page does not undo the choice about tracking, nor a wipe", async () => {
  for (const choose of [(belfry) => belfry.setTrackingEnabled(false), (belfry) => belfry.wipe()]) {
    const page = await new Page().start();
    await page.pass(2000);
    await choose(page.belfry);
    await page.settle();
    page.storage.clear();
    await page.belfry.track("against their will");
    await page.settle();
    await page.pass(5000);
    assert.deepEqual(page.names, []);
    await page.stop();
  }
});

test("WEB-3: a wipe stays a wipe until the next start", async () => {
  const page = await new Page().start();
  await page.belfry.wipe();
  await page.pass(60_000);
  assert.deepEqual(page.reports, []);
  assert.equal((await page.belfry.state()).isResting, true);
  await page.stop();
});

test("WEB-3: with a full storage what is stored can be read, and a step that changes nothing writes nothing", async () => {
  const page = await new Page().start();
  await page.belfry.edit((record) => { record.setAttribute("city", "Paris"); });
  await page.settle();
  page.storage.faults.write = "QuotaExceededError";
  assert.deepEqual((await page.belfry.record()).attributes, { city: "Paris" });
  assert.deepEqual((await page.belfry.messages()).messages, []);
  assert.ok((await page.belfry.state()).deviceId);
  await assert.rejects(page.belfry.track("no room"), { code: "storageUnavailable" });
  await assert.rejects(page.belfry.identify("anna"), { code: "storageUnavailable" });
  page.storage.faults = {};
  const { writes } = page.storage;
  await page.belfry.record();
  assert.equal(page.storage.writes, writes);
  await page.belfry.track("room");
  await page.settle();
  await page.pass(120_000);
  assert.deepEqual(page.names, ["room"]);
  await page.stop();
});

for (const faults of [{ transaction: "InvalidStateError" }, { read: "UnknownError" }, { write: "QuotaExceededError" }]) {
  test(`WEB-3: a storage that fails for five minutes (${Object.entries(faults)}) costs reports, no exception, and no event before it`, async () => {
    const page = await new Page().start();
    await page.pass(2000);
    page.world.answers.push({ on: "POST /client/events", status: 503, error: "unavailable", left: 1 });
    await page.belfry.track("before");
    page.storage.faults = faults;
    await assert.rejects(page.belfry.track("meanwhile"), { code: "storageUnavailable" });
    page.world.happen("visible");
    page.world.happen("online");
    await page.pass(300_000);
    assert.ok(page.reports.includes("storageFailed"));
    assert.ok(page.reports.length < 60, `${page.reports.length} reports`);
    page.storage.faults = {};
    await page.belfry.track("after");
    await page.settle();
    await page.pass(120_000);
    assert.deepEqual(page.names, ["before", "after"]);
    assert.deepEqual(unhandled.splice(0), []);
    await page.stop();
  });
}

for (const [when, place] of [["it is claimed", 0], ["it comes to the screen", 1]]) {
  test(`IAM-8, WEB-3: a message is shown later where the storage fails when ${when}`, async () => {
    const page = new Page();
    page.world.inApp.campaigns = [{ campaignId: "7", event: "offer" }];
    let asked = 0;
    const inApp = { mayShow: () => {
      asked += 1;
      if (place === 1 && asked === 1) page.storage.faults = { write: "QuotaExceededError" };
      return true;
    } };
    await page.start({}, { inApp });
    await page.pass(2000);
    await page.belfry.track("offer");
    // The fault begins with the claim: the message is stored then.
    for (let turn = 0; place === 0 && turn < 3000 && !page.storage.get("kept", "state").inApp.due; turn += 1) {
      if (turn % 300 === 299) page.world.pass(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (place === 0) page.storage.faults = { write: "QuotaExceededError" };
    await page.pass(5000);
    assert.equal(page.world.screen.campaign, null);
    page.storage.faults = {};
    await page.pass(90_000);
    page.world.happen("visible");
    await page.pass(5000);
    assert.equal(page.world.screen.campaign, "7", JSON.stringify(page.storage.get("kept", "state").inApp));
    page.storage.faults = { write: "QuotaExceededError" };
    page.world.screen.close();
    await page.settle();
    assert.equal(page.world.screen.campaign, null, "it can be closed without the storage");
    assert.deepEqual(unhandled.splice(0), []);
    assert.ok(page.reports.includes("callFailed"));
    await page.stop();
  });
}

test("WEB-3: news from another tab, which the storage cannot tell more about, is no exception of the site's", async () => {
  const page = new Page();
  let hear;
  await page.start({ channel: (heard) => { hear = heard; return { post() {}, close() {} }; } });
  page.storage.faults = { read: "UnknownError" };
  hear({ isNews: true });
  await page.settle();
  assert.deepEqual(unhandled.splice(0), []);
  assert.ok(page.reports.includes("callFailed"));
  await page.stop();
});
