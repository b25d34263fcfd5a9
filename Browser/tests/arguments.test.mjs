// A site's mistakes: each wrong kind of argument is refused by a BelfryError that names it, and changes nothing (WEB-2).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry, BelfryError } from "../belfry.js";
import { World } from "./support/world.mjs";

const OPTIONS = { appCode: "shop", serverURL: "http://server" };
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

async function page(options) {
  const world = new World();
  world.isVisible = true;
  const belfry = await Belfry.start({ ...OPTIONS, ...options }, () => world.edge());
  await world.settle();
  return { world, belfry };
}

const OBJECTS = ["abc", 5, true, ["a"], new Map([["a", 1]]), new Date(0), () => {}];
const FLAGS = [undefined, null, "false", 0, 1, {}];
const MISTAKES = [
  ...OBJECTS.map((given) => ["track", ["cart:add", given], "invalidEvent", "attributes"]),
  ...OBJECTS.map((given) => ["trackScreen", ["basket", given], "invalidEvent", "attributes"]),
  ...[undefined, null, 5, {}, "", " ", "a\0b", "x".repeat(129)].flatMap((name) => [
    ["track", [name], "invalidEvent", "name"], ["trackScreen", [name], "invalidEvent", "name"],
  ]),
  ...[undefined, null, "addTag", {}, 5].map((given) => ["edit", [given], "invalidEdit", "body"]),
  ...FLAGS.flatMap((given) => [
    ["setMessageCenterEnabled", [given], "invalidArgument", "isEnabled"],
    ["setTrackingEnabled", [given], "invalidArgument", "isEnabled"],
    ["pauseInApp", [given], "invalidArgument", "isPaused"],
  ]),
  ...[undefined, null, "#banner", {}].map((given) => ["showInline", [given, "banner"], "invalidArgument", "element"]),
  ...[undefined, null, 5, " "].map((given) => ["showInline", [{ replaceChildren() {} }, given], "invalidArgument", "viewId"]),
];
const shown = (given) => given.map((one) => (typeof one === "string" ? JSON.stringify(one.slice(0, 12)) : String(one))).join(", ");

test("WEB-2, EVT-8: calls with a wrong kind of argument reject with an error that names it, and change nothing", async () => {
  const { world, belfry } = await page();
  const before = await belfry.record();
  for (const [call, given, code, field] of MISTAKES) {
    const error = await belfry[call](...given).then(() => null, (refused) => refused);
    const what = `${call}(${shown(given)}): ${error}`;
    assert.ok(error instanceof BelfryError, what);
    assert.deepEqual([error.code, error.field], [code, field], what);
    assert.ok(error.message.includes(field), what);
  }
  await world.settle();
  await world.pass(2000);
  assert.deepEqual(world.stored.map(({ name }) => name), ["app:start", "session:start"]);
  assert.deepEqual(await belfry.record(), before);
  const { trackingEnabled, messageCenter } = await belfry.state();
  assert.deepEqual([trackingEnabled, messageCenter.isEnabled], [true, false]);
  await belfry.stop();
  world.kill();
});

test("WEB-2: on() refuses an event that there is none of, and a listener that is no function", async () => {
  const { world, belfry } = await page();
  for (const name of [undefined, "reports", "news", "idle"]) {
    assert.throws(() => belfry.on(name, () => {}), { name: "BelfryError", code: "invalidArgument", field: "event" });
  }
  for (const listener of [undefined, null, "log", {}]) {
    assert.throws(() => belfry.on("report", listener), { name: "BelfryError", code: "invalidArgument", field: "listener" });
  }
  await belfry.stop();
  world.kill();
});

test("WEB-2: an option of a wrong kind is refused with its name; one that is null or undefined is none", async () => {
  for (const [field, options] of [
    ["sessionTimeout", { sessionTimeout: "30000" }], ["sessionTimeout", { sessionTimeout: -1 }], ["sessionTimeout", { sessionTimeout: NaN }],
    ["queue.count", { queue: { count: "10" } }], ["uploads.flushAge", { uploads: { flushAge: NaN } }], ["centers.interval", { centers: { interval: {} } }],
    ["appVersion", { appVersion: 5 }], ["appVersion", { appVersion: " " }], ["contactField", { contactField: {} }],
    ["worker", { worker: "/belfry-sw.js" }], ["worker", { worker: {} }], ["worker", { worker: { url: 5 } }],
    ["inApp", { inApp: "no" }], ["inApp", { inApp: {} }], ["inApp", { inApp: { mayShow: true } }], ["serverURL", { serverURL: "http://a b" }],
  ]) {
    const error = await Belfry.start({ ...OPTIONS, ...options }, () => new World().edge()).then(() => null, (refused) => refused);
    assert.deepEqual([error?.code, error?.field], ["invalidConfiguration", field], JSON.stringify(options));
  }
  const none = ["sessionTimeout", "queue", "uploads", "centers", "appVersion", "contactField", "worker", "inApp", "afterErasure"];
  for (const nothing of [null, undefined]) {
    const { world, belfry } = await page({ ...Object.fromEntries(none.map((name) => [name, nothing])), ...(nothing === null && { queue: { age: null } }) });
    await belfry.track("something");
    await world.pass(2000);
    assert.ok(world.stored.some(({ name }) => name === "something"));
    assert.equal(world.requests.at(-1).body.dnd, undefined, "in-app messages are on");
    await belfry.stop();
    world.kill();
  }
});

test("WEB-2, ID-3: a contact key that is none is refused for what it is; options that are none are none", async () => {
  const { world, belfry } = await page();
  const code = async (...given) => (await belfry.identify(...given)).code;
  assert.equal(await code(1042), "wrongType");
  assert.equal(await code({ contactKey: 1042 }), "wrongType");
  assert.equal(await code("anna", { contactField: 5 }), "wrongType");
  for (const nobody of [undefined, null, "", {}, []]) assert.equal(await code(nobody), "blank");
  assert.equal((await belfry.record()).contactKey, null);
  assert.deepEqual(await belfry.identify("anna", null), { accepted: true });
  await belfry.stop();
  world.kill();
});

test("REG-8: a setter that is used after its edit ended throws, and changes nothing", async () => {
  const { world, belfry } = await page();
  let kept;
  await belfry.edit((record) => {
    kept = record;
    record.addTag("in time");
  });
  const setters = {
    setContactKey: ["anna"], setAttribute: ["city", "Paris"], setAttributes: [{ city: "Paris" }], clearAttribute: ["city"], clearAttributes: [["city"]],
    clearAllAttributes: [], addTag: ["late"], addTags: [["late"]], removeTag: ["in time"], removeTags: [["in time"]], removeAllTags: [],
    setPushEnabled: [false],
  };
  for (const [setter, given] of Object.entries(setters)) {
    assert.throws(() => kept[setter](...given), { name: "BelfryError", code: "invalidEdit" }, setter);
  }
  assert.deepEqual(await belfry.record(), { contactKey: null, attributes: {}, tags: ["in time"], pushEnabled: true });
  // The function that waits is refused at once; what it does later is an error of its own, which nobody has to catch.
  let later;
  await assert.rejects(belfry.edit(async (record) => {
    record.addTag("early");
    await null;
    try {
      record.addTag("late");
    } catch (error) {
      later = error;
      throw error;
    }
  }), { code: "invalidEdit" });
  await world.settle();
  assert.equal(later?.code, "invalidEdit");
  assert.deepEqual((await belfry.record()).tags, ["in time"]);
  assert.deepEqual(unhandled.splice(0), []);
  await belfry.stop();
  world.kill();
});

test("REG-8: a list or a switch of a wrong kind is refused, and what the site's function throws is the site's own", async () => {
  const { world, belfry } = await page();
  for (const [field, act] of [
    ["tags", (record) => record.addTags("sports")], ["tags", (record) => record.removeTags(null)], ["keys", (record) => record.clearAttributes({})],
    ["attributes", (record) => record.setAttributes("city")], ["attributes", (record) => record.setAttributes()],
  ]) {
    const edited = belfry.edit((record) => {
      record.addTag("before");
      act(record);
    });
    await assert.rejects(edited, { code: "invalidEdit", field });
  }
  for (const given of [undefined, null, "false", 0]) {
    assert.equal((await belfry.edit((record) => record.setPushEnabled(given))).code, "wrongType");
  }
  assert.equal((await belfry.edit((record) => record.addTag(5))).code, "wrongType");
  await assert.rejects(belfry.edit((record) => {
    record.addTag("before");
    structuredClone(() => {});
  }), { name: "DataCloneError" });
  assert.deepEqual(await belfry.record(), { contactKey: null, attributes: {}, tags: [], pushEnabled: true });
  await belfry.stop();
  world.kill();
});

test("EVT-1: an event has the attributes that it was tracked with, whatever the site does with its object afterwards", async () => {
  const { world, belfry } = await page();
  const attributes = { step: 1 };
  const tracked = [belfry.track("step", attributes)];
  attributes.step = 2;
  tracked.push(belfry.track("step", attributes), belfry.trackScreen("basket", attributes));
  attributes.step = 3;
  await Promise.all(tracked);
  await world.pass(2000);
  const found = world.stored.filter(({ name }) => name === "step" || name === "screen").map((event) => event.attributes);
  assert.deepEqual(found, [{ step: 1 }, { step: 2 }, { step: 2, name: "basket" }]);
  await belfry.stop();
  world.kill();
});

test("WIRE-23, REG-8: half of a character, as a text that was cut may have it, holds up neither the record nor the event", async () => {
  const { world, belfry } = await page();
  const cut = "An emoji 😀".slice(0, -1);
  const whole = "An emoji \ufffd";
  await belfry.edit((record) => [record.setAttribute("city", cut), record.setAttribute(cut, 1), record.addTag(cut)]);
  await belfry.track(cut, { text: cut, [cut]: true });
  assert.deepEqual(await belfry.identify(cut), { accepted: true });
  await world.settle();
  await world.pass(120_000);
  const { attributes, tags } = world.requests.filter(({ request }) => request === "POST /client/registration").at(-1).body;
  assert.deepEqual([attributes, tags], [{ city: whole, [whole]: 1 }, [whole]]);
  assert.equal(world.requests.filter(({ request }) => request === "POST /client/contact").at(-1).body.contactFieldValue, whole);
  const event = world.stored.find(({ type }) => type === "custom");
  assert.deepEqual([event.name, event.attributes], [whole, { text: whole, [whole]: true }]);
  await belfry.stop();
  world.kill();
});
