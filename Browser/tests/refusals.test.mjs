// Whatever the server refuses reaches the site: as a report with its kind, status, code and message, or as the error of the call.
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";

const OPTIONS = { appCode: "shop", serverURL: "http://server" };
const TOKEN = JSON.stringify({ endpoint: "https://push.example/1", keys: {} });

/** A visible page of a world, in which the server gives this answer; its reports are collected. */
async function page(answer, edge = {}) {
  const world = new World();
  world.isVisible = true;
  world.answers.push({ times: "always", left: Infinity, ...answer });
  const belfry = await Belfry.start(OPTIONS, () => Object.assign(Object.create(world.edge()), edge));
  const reports = [];
  belfry.on("report", (report) => reports.push(report));
  await world.settle();
  return { world, belfry, reports };
}
const MESSAGE = "The scenario says so.";

/** The call, what the site did before it, and the report about its refusal. */
const REFUSALS = [
  ["POST /client", 400, "invalidBody", "propertiesRefused"],
  ["POST /client/contact", 403, "anonymousContactsOff", "linkRefused"],
  ["POST /client/registration", 400, "invalidBody", "registrationRefused"],
  ["POST /client/registration", 400, "unknownApp", "registrationRefused"],
  ["POST /client/events", 403, "forbidden", "eventsRefused"],
  ["GET /client/web-push-key", 404, "webPushNotConfigured", "webPushKeyRefused"],
  ["PUT /client/push-token", 400, "invalidPushToken", "pushTokenRefused"],
  ["POST /inline-messages", 400, "invalidBody", "inlineMessagesRefused"],
];
for (const [on, status, code, type] of REFUSALS) {
  test(`WEB-2, REG-14: ${on} answered with ${status} ${code} is reported as ${type}`, async () => {
    const { world, belfry, reports } = await page({ on, status, error: code }, { hasPush: true, permission: "granted", worker: {} });
    if (on === "PUT /client/push-token") world.store.kept.state.record.pushToken = TOKEN;
    await belfry.track("something");
    if (on === "POST /inline-messages") assert.equal(await belfry.showInline({ replaceChildren() {} }, "banner"), false);
    await world.pass(2000);
    const [found] = reports.filter((report) => report.type === type);
    assert.deepEqual([found?.status, found?.code, found?.message], [status, code, MESSAGE], JSON.stringify(reports));
    if (type === "linkRefused") assert.equal((await belfry.state()).linkIsPending, true, "the link is still to be made");
    await belfry.stop();
  });
}

test("EVT-4: an event that the server refuses is reported, and holds up no other", async () => {
  const { world, belfry, reports } = await page({ on: "POST /client/events", status: 200, rejects: ["bad"] });
  await belfry.track("bad");
  await belfry.track("good");
  await world.pass(2000);
  assert.deepEqual(reports.filter(({ type }) => type === "eventsSetAside"), [{ type: "eventsSetAside", count: 1, reason: MESSAGE, names: ["bad"] }]);
  assert.deepEqual(world.stored.filter(({ type }) => type === "custom").map(({ name }) => name), ["good"]);
  const { deadLetters } = (await belfry.state()).queue;
  assert.deepEqual(deadLetters.map(({ name, reason }) => [name, reason]), [["bad", MESSAGE]]);
  await belfry.stop();
});

test("EVT-8: the error of an event that cannot be recorded has the event's name", async () => {
  const { belfry } = await page({ on: "POST /client/badge", status: 200 });
  for (const [name, attributes] of [
    ["cart:add", { price: undefined }], ["cart:add", { items: [1] }], ["cart:add", { "": 1 }], ["cart:add", { text: "x".repeat(70_000) }],
    ["cart:add", "abc"], ["cart:add\0", {}], [`cart:add${"x".repeat(130)}`, {}],
  ]) {
    const error = await belfry.track(name, attributes).then(() => null, (refused) => refused);
    assert.equal(error?.code, "invalidEvent");
    assert.match(error.message, /^Event 'cart:add/);
    assert.ok(error.message.includes(error.field), error.message);
  }
  await belfry.stop();
});

test("REG-25: a field of the record that the server rejects is reported with its reason", async () => {
  const rejected = [{ field: "attributes.age", reason: "wrongType", message: "A number." }];
  const json = { registrationId: "$sent.registrationId", revision: "$sent.revision", status: "received", registration: { revision: 1, rejected } };
  const { world, belfry, reports } = await page({ on: "POST /client/registration", status: 201, json });
  await world.pass(2000);
  assert.deepEqual(reports, [{ type: "attributesRejected", rejected }]);
  await belfry.stop();
});

for (const [status, code, expected] of [[403, "messageCenterDisabled", "messageCenterDisabled"], [400, "unknownApp", "unknownApp"], [503, "unavailable", "serverUnavailable"]]) {
  test(`MC-10: a fetch of messages that the server refuses with ${status} ${code} rejects with ${expected}`, async () => {
    const { world, belfry } = await page({ on: "GET /client/message-centers", status, error: code });
    await belfry.setMessageCenterEnabled(true);
    const refreshed = belfry.refreshMessages().then(() => null, (error) => error);
    await world.settle();
    await world.pass(2000);
    const error = await refreshed;
    assert.equal(error?.code, expected);
    assert.equal(error.name, "BelfryError");
    await belfry.stop();
  });
}

test("WEB-2: a start without an app code or an address, or with others' types, is refused with a typed error", async () => {
  const { appCode, serverURL } = { appCode: "shop", serverURL: "http://server" };
  for (const [options, field] of [
    [undefined, "appCode"], [null, "appCode"], [{ serverURL }, "appCode"], [{ appCode: null, serverURL }, "appCode"],
    [{ appCode: ["shop"], serverURL }, "appCode"], [{ appCode }, "serverURL"], [{ appCode, serverURL: new URL(serverURL) }, "serverURL"],
  ]) {
    await assert.rejects(Belfry.start(options, () => new World().edge()), { code: "invalidConfiguration", field });
  }
});
