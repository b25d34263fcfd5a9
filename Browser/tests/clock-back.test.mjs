// A clock that is set: what was noted in the future says nothing any more (WEB-4, WEB-5), and what waits is not older (EVT-5).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { earlyCandidates } from "../belfry-push.js";
import { World } from "./support/world.mjs";

const YEAR = 31_536_000_000;
const OPTIONS = { appCode: "shop", serverURL: "http://server" };

test("WEB-4: the server's key is asked for, and the subscription looked after, although both were last in the future", () => {
  const now = 1_000_000;
  const due = (push) => [...earlyCandidates({ state: { push: { key: "k", checkedKey: "k", ...push }, record: { osPushEnabled: true, pushToken: "t" }, gates: {} }, now })].map((one) => one.do);
  assert.deepEqual(due({ keyAt: now, checkedAt: now }), []);
  assert.deepEqual(due({ keyAt: now + YEAR, checkedAt: now + YEAR }), ["webPushKey", "subscribe"]);
  assert.deepEqual(due({}), ["webPushKey", "subscribe"]);
});

test("IAM-8: a message that a dead tab claimed before the clock was set back is shown", async () => {
  const world = new World();
  world.isVisible = true;
  world.inApp.campaigns = [{ campaignId: "7", event: "offer" }];
  // The first tab dies while the site is asked.
  const first = await Belfry.start({ ...OPTIONS, inApp: { mayShow: () => new Promise(() => {}) } }, () => world.edge());
  await first.track("offer");
  await world.settle();
  await world.pass(2000);
  assert.ok(world.store.kept.state.inApp.due?.claimedAt);
  world.kill();
  world.setClock(-YEAR);
  const next = await Belfry.start(OPTIONS, () => world.edge());
  await world.settle();
  assert.equal(world.screen.campaign, "7");
  await next.stop();
});

for (const [more, expected] of [[0, { droppedOld: 0, letters: ["refused"], first: "waits" }], [1_800_000, { droppedOld: 1, letters: [], first: "later" }]]) {
  test(`EVT-5, EVT-4: a clock that is set makes neither an event nor a dead letter too old, and their age counts on (${more})`, async () => {
    const world = new World();
    const belfry = await Belfry.start({ ...OPTIONS, queue: { age: 3_600_000 } }, () => world.edge());
    world.answers.push({ on: "POST /client/events", status: 400, json: { error: { code: "invalidBody", message: "No." } }, left: 1 });
    await belfry.track("refused");
    await world.pass(2000);
    world.isOnline = false;
    await belfry.track("waits");
    await world.pass(1_800_000);
    for (const by of [YEAR, YEAR, -2 * YEAR, YEAR]) {
      world.setClock(by);
      await belfry.track("later");
      await world.pass(60_000);
      assert.equal((await belfry.state()).queue.droppedOld, 0, `${by}`);
    }
    await world.pass(more);
    world.isOnline = true;
    world.happen("online");
    await world.pass(2000);
    const { queue: { droppedOld, deadLetters } } = await belfry.state();
    assert.deepEqual({ droppedOld, letters: deadLetters.map(({ name }) => name), first: world.stored[0].name }, expected);
    await belfry.stop();
  });
}

test("IAM-9: a link of a message opens in a browser of 2022, which has no URL.canParse", async () => {
  const { canParse } = URL;
  URL.canParse = undefined;
  const opened = [];
  const unhandled = [];
  const hear = (error) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  Object.assign(globalThis, { location: { href: "https://shop.example/", origin: "https://shop.example", assign: (url) => opened.push(url) } });
  globalThis.window = { open: (url) => ({ opener: opened.push(url) }) };
  try {
    const world = new World();
    world.isVisible = true;
    const actions = ["/autumn", "https://other.example/", "javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,x", "http://[", "", 5, null]
      .map((url) => ({ type: "OpenExternalUrl", url }));
    world.answers.push({ on: "POST /client/events", status: 200, json: { onEventAction: { campaignId: "7", actions } }, left: 1 });
    const belfry = await Belfry.start(OPTIONS, () => world.edge());
    const reports = [];
    belfry.on("report", (report) => reports.push(report.type));
    await belfry.track("offer");
    await world.settle();
    await world.pass(2000);
    await world.settle();
    assert.deepEqual(opened, ["https://shop.example/autumn", "https://other.example/", "https://shop.example/"]);
    assert.deepEqual(reports, Array(6).fill("inAppLinkRefused"));
    assert.deepEqual(unhandled, []);
    await belfry.stop();
  } finally {
    URL.canParse = canParse;
    process.off("unhandledRejection", hear);
    delete globalThis.window;
  }
});
