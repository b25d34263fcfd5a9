// In-app messages on a page: whose they are, what their pages may say, and what a site that wants none gets (WEB-5, IAM-7 to IAM-12).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";

const OPTIONS = { appCode: "shop", serverURL: "http://server" };
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

async function page(options, edge = {}) {
  const world = new World();
  return { world, ...(await visit(world, options, edge)) };
}

async function visit(world, options, edge = {}) {
  world.isVisible = true;
  const belfry = await Belfry.start({ ...OPTIONS, ...options }, () => Object.assign(world.edge(), edge));
  const reports = [];
  belfry.on("report", (report) => reports.push(report));
  await world.settle();
  return { belfry, reports };
}
const answer = (world, inlineMessages) => world.answers.push({ on: "POST /inline-messages", status: 200, json: { inlineMessages }, left: Infinity });
const BANNER = [{ campaignId: "9", html: "banner" }];
const names = (world) => world.stored.map(({ name }) => name);

async function end({ world, belfry }) {
  await belfry.stop();
  world.kill();
  assert.deepEqual(unhandled.splice(0), []);
}

for (const [what, rest] of [
  ["a wipe", ({ belfry }) => belfry.wipe()],
  ["an erasure", async ({ world, belfry }) => {
    world.answers.push({ on: "POST /client/events", status: 410, error: "erased", left: 1 });
    await belfry.track("last");
    await world.pass(2000);
  }],
]) {
  test(`IAM-12, REG-36: after ${what} there is no inline message, and nobody waits for one`, async () => {
    const stage = await page();
    answer(stage.world, BANNER);
    await rest(stage);
    const { requests } = stage.world;
    const asked = requests.length;
    // No time passes.
    assert.equal(await stage.belfry.showInline(stage.world.screen.place(), "banner"), false);
    assert.equal(requests.length, asked);
    await end(stage);
  });
}

test("IAM-12, REG-36: an inline message that is waited for when the person is wiped is none", async () => {
  const stage = await page();
  const { world, belfry } = stage;
  answer(world, BANNER);
  world.answers.unshift({ on: "POST /inline-messages", status: 401, error: "contactTokenExpired", left: 1 }, { on: "POST /client/contact-token", fault: "hang", left: Infinity });
  const shown = belfry.showInline(world.screen.place(), "banner");
  await world.settle();
  await belfry.wipe();
  await world.pass(200);
  assert.equal(await shown, false);
  await end(stage);
});

test("IAM-11, ID-4: an inline message goes with the person; what comes late for one who was wiped is not shown", async () => {
  const stage = await page();
  const { world, belfry } = stage;
  await belfry.identify("anna");
  await world.settle();
  answer(world, BANNER);
  const place = world.screen.place();
  assert.equal(await belfry.showInline(place, "banner"), true);
  await world.settle();
  assert.equal(place.inline, "banner");
  await belfry.logout();
  assert.equal(place.inline, null, "it is gone when the logout returns");
  await world.settle();
  await world.pass(2000);
  assert.deepEqual(names(world).filter((name) => name.startsWith("inapp:")), ["inapp:viewed", "inapp:dismiss"]);
  // The frame is loaded while the person is wiped, and another installation begins in another tab.
  const late = world.screen.place();
  const append = late.append.bind(late);
  let load;
  late.append = (frame) => { load = () => append(frame); };
  assert.equal(await belfry.showInline(late, "banner"), true);
  await belfry.wipe();
  const next = await visit(world);
  load();
  await world.settle();
  await world.pass(2000);
  assert.equal(names(world).filter((name) => name === "inapp:viewed").length, 1);
  await next.belfry.stop();
  await end(stage);
});

test("IAM-11, ID-4: nobody is shown the inline message of the person who has left, as long as the server has not heard of that", async () => {
  const stage = await page();
  const { world, belfry } = stage;
  await belfry.identify("anna");
  await world.settle();
  const { token } = world.requests.at(-1);
  answer(world, BANNER);
  world.answers.push({ on: "POST /client/contact", fault: "hang", left: 1 });
  await belfry.logout();
  const place = world.screen.place();
  const shown = belfry.showInline(place, "banner");
  await world.pass(1000);
  const asked = () => world.requests.filter(({ request }) => request === "POST /inline-messages").map(({ headers }) => headers["x-contact-token"]);
  assert.deepEqual(asked(), []);
  world.respond();
  await world.pass(1000);
  assert.equal(await shown, true);
  await world.settle();
  assert.equal(place.inline, "banner");
  assert.equal(asked().length, 1);
  assert.notEqual(asked()[0], token);
  await end(stage);
});

test("IAM-7: a page that wants no in-app messages shows none that came for another page", async () => {
  const first = await page({ inApp: { mayShow: () => new Promise(() => {}) } });
  const { world } = first;
  world.inApp.campaigns = [{ campaignId: "7", event: "offer" }];
  await first.belfry.track("offer");
  await world.pass(2000);
  assert.equal(world.store.kept.state.inApp.due?.campaignId, "7");
  world.kill();
  const none = await visit(world, { inApp: false });
  await world.pass(120_000);
  world.happen("visible");
  await world.settle();
  assert.equal(world.screen.campaign, null);
  await none.belfry.stop();
  world.kill();
  const last = await visit(world);
  await world.settle();
  assert.equal(world.screen.campaign, "7", "it waits for one that does");
  await end({ world, ...last });
});

const POSTS = [
  null, undefined, 5, "close", [], {}, { command: null }, { command: {} }, { command: "resized", height: {} }, { command: "openExternalLink" },
  { command: "openExternalLink", url: { href: "https://a.example" } }, { command: "buttonClicked", buttonId: { toString: 5 } }, { command: "loaded", type: {}, height: NaN },
  { command: "triggerMEEvent" }, { command: "triggerMEEvent", name: {}, payload: 5 }, { command: "triggerMEEvent", name: "deep", payload: { a: { b: 1 } } },
  { command: "triggerAppEvent", name: {}, payload: {} }, { command: "triggerAppEvent", name: "reach", payload: null }, { command: "requestPushPermission" },
];

test("IAM-12: whatever the page of a message posts, the site's page has no exception, and the message can be closed", async () => {
  const refused = () => { throw new DOMException("The test says so.", "NotAllowedError"); };
  const stage = await page({}, { askPermission: refused });
  const { world, belfry, reports } = stage;
  world.inApp.campaigns = [{ campaignId: "7", event: "offer" }];
  const heard = [];
  belfry.on("inAppEvent", (event) => heard.push(event));
  await belfry.track("offer");
  await world.pass(2000);
  for (const data of POSTS) {
    world.screen.post(data);
    await world.settle();
    assert.equal(world.screen.campaign, "7", JSON.stringify(data));
  }
  assert.deepEqual(unhandled.splice(0), []);
  assert.deepEqual(heard, [{ campaignId: "7", name: "reach", attributes: {} }]);
  // An event that is refused reaches the site with its name, since nobody else can tell it.
  assert.ok(reports.some(({ type, code, message }) => type === "callFailed" && code === "invalidEvent" && message.includes("'deep'")), JSON.stringify(reports));
  world.screen.close();
  await world.settle();
  assert.equal(world.screen.campaign, null);
  await end(stage);
});

test("WIRE-6: an event that an action of the server cannot record is reported with its name", async () => {
  const stage = await page();
  const { world, belfry, reports } = stage;
  const actions = [{ type: "MECustomEvent", name: "points", payload: { won: [1, 2] } }, { type: "MECustomEvent", name: "fine", payload: { won: 1 } }];
  world.answers.push({ on: "POST /client/events", status: 200, json: { onEventAction: { campaignId: "7", actions } }, left: 1 });
  await belfry.track("offer");
  await world.pass(4000);
  const [report] = reports.filter(({ type }) => type === "callFailed");
  assert.equal(report?.code, "invalidEvent");
  assert.match(report.message, /'points', attributes\.won/);
  assert.ok(names(world).includes("fine"));
  await end(stage);
});
