// The end of the SDK in a page: what is under way ends, later calls are told why they cannot be made (WEB-2).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry, BelfryError } from "../belfry.js";
import { openStore } from "../belfry-store.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.mjs";
import { afterTurns } from "./support/turns.mjs";
import { World } from "./support/world.mjs";

globalThis.setTimeout = afterTurns;
const OPTIONS = { appCode: "shop", serverURL: "http://server" };
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

const CALLS = {
  track: (belfry) => belfry.track("last"),
  trackScreen: (belfry) => belfry.trackScreen("basket"),
  identify: (belfry) => belfry.identify("anna"),
  logout: (belfry) => belfry.logout(),
  edit: (belfry) => belfry.edit((record) => record.addTag("last")),
  record: (belfry) => belfry.record(),
  flush: (belfry) => belfry.flush(),
  messages: (belfry) => belfry.messages(),
  refreshMessages: (belfry) => belfry.refreshMessages(),
  markRead: (belfry) => belfry.markRead("one"),
  setMessageCenterEnabled: (belfry) => belfry.setMessageCenterEnabled(true),
  pauseInApp: (belfry) => belfry.pauseInApp(true),
  showInline: (belfry, world) => belfry.showInline(world.screen.place(), "banner"),
  setTrackingEnabled: (belfry) => belfry.setTrackingEnabled(false),
  wipe: (belfry) => belfry.wipe(),
  state: (belfry) => belfry.state(),
  requestPushPermission: (belfry) => belfry.requestPushPermission(),
};
const turns = async (count) => { for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve)); };
const idle = async (world) => {
  await turns(100);
  await world.settle();
  await turns(100);
};
const outcome = (work) => work.then((value) => ({ value, isResolved: true }), (error) => ({ error }));

/** A visible page over a fake IndexedDB, whose steps take turns of the loop as a browser's do. */
async function page() {
  const world = new World();
  world.isVisible = true;
  const storage = globalThis.indexedDB = new FakeIndexedDB();
  const start = () => Belfry.start(OPTIONS, () => Object.assign(world.edge(), { open: () => openStore("shop") }));
  const belfry = await start();
  await turns(300);
  return { world, storage, belfry, start };
}

for (const [name, call] of Object.entries(CALLS)) {
  test(`WEB-2: ${name}, under way when the page stops the SDK, resolves or rejects with a BelfryError`, async () => {
    for (const wait of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
      const { world, belfry } = await page();
      await belfry.setMessageCenterEnabled(true);
      const work = outcome(call(belfry, world));
      await turns(wait);
      await belfry.stop();
      // A part that is being loaded is waited for.
      const settled = await Promise.race([work, idle(world).then(() => ({ error: "it is pending" }))]);
      assert.ok(settled.isResolved || settled.error instanceof BelfryError, `after ${wait} turns: ${settled.error}`);
      world.kill();
    }
    assert.deepEqual(unhandled.splice(0), []);
  });

  test(`WEB-2: ${name} of a stopped SDK rejects with stopped`, async () => {
    const { world, belfry } = await page();
    await belfry.stop();
    await belfry.stop();
    const { error } = await outcome(call(belfry, world));
    assert.ok(error instanceof BelfryError, String(error));
    assert.equal(error.code, "stopped");
    world.kill();
  });
}

test("WEB-2, EVT-1: what is stored when the page stops the SDK counts as done, and the next page sends it", async () => {
  for (const wait of [0, 1, 2, 3, 4, 5, 6]) {
    const { world, storage, belfry, start } = await page();
    const work = outcome(belfry.track("last"));
    await turns(wait);
    await belfry.stop();
    assert.ok((await work).isResolved, `after ${wait} turns`);
    assert.ok(storage.all("events").some(({ event }) => event.name === "last"), "it is stored");
    world.kill();
    const next = await start();
    await next.track("next");
    await turns(300);
    await world.pass(2000);
    await turns(300);
    await world.pass(2000);
    assert.deepEqual(world.stored.filter(({ type }) => type === "custom").map(({ name }) => name), ["last", "next"]);
    await next.stop();
    world.kill();
  }
});

test("WEB-2: flush and refreshMessages end with the SDK, although the server never answers", async () => {
  for (const call of [CALLS.flush, CALLS.refreshMessages]) {
    const { world, belfry } = await page();
    await belfry.setMessageCenterEnabled(true);
    await turns(300);
    world.answers.push({ on: "POST /client/events", fault: "hang", left: Infinity }, { on: "GET /client/message-centers", fault: "hang", left: Infinity });
    await belfry.track("one");
    await turns(100);
    const work = outcome(call(belfry));
    await turns(100);
    await belfry.stop();
    const settled = await Promise.race([work, turns(100).then(() => ({ error: "it is pending" }))]);
    assert.ok(settled.isResolved || settled.error instanceof BelfryError, String(settled.error));
    world.kill();
  }
});

test("WEB-2, IAM-9: a message leaves the screen with the SDK, and that is reported", async () => {
  const world = new World();
  world.isVisible = true;
  world.inApp.campaigns = [{ campaignId: "7", event: "offer" }];
  const belfry = await Belfry.start(OPTIONS, () => world.edge());
  await belfry.track("offer");
  await world.pass(2000);
  assert.equal(world.screen.campaign, "7");
  await belfry.stop();
  assert.equal(world.screen.campaign, null);
  const dismissed = world.store.rows.find(({ event }) => event.name === "inapp:dismiss");
  assert.equal(dismissed?.event.attributes.how, "replaced");
  // A page may start it anew, as some frameworks do at once.
  world.inApp.campaigns = [{ campaignId: "8", event: "another" }];
  const next = await Belfry.start(OPTIONS, () => world.edge());
  await next.track("another");
  await world.pass(2000);
  assert.equal(world.screen.campaign, "8");
  await next.stop();
  world.kill();
});

test("WEB-2, WEB-3: a start that fails leaves nothing behind in the page", async () => {
  const world = new World();
  world.isVisible = true;
  globalThis.indexedDB = new FakeIndexedDB();
  indexedDB.faults = { write: "QuotaExceededError" };
  let isClosed = false;
  const channel = () => ({ post() {}, close() { isClosed = true; } });
  await assert.rejects(Belfry.start(OPTIONS, () => Object.assign(world.edge(), { open: () => openStore("shop"), channel })), { code: "storageUnavailable" });
  assert.equal(isClosed, true);
  assert.equal(indexedDB.connections.size, 0);
});
