// What a worker is handed is not trusted: whatever the payload or a response is, a push is shown and a click is followed (WEB-4).
import { test } from "node:test";
import assert from "node:assert/strict";
import { push, WorkerWorld } from "./support/worker-world.mjs";

const VALUES = [null, true, -1, 1e308, "", "x".repeat(4000), "<script>alert(1)</script>", "javascript:alert(1)", [], [null], {}, { length: 1 }, [[]], { find: 1, includes: 1, trim: 1 }];
const FIELDS = [
  ["notification", "title"], ["notification", "subtitle"], ["notification", "body"], ["notification", "image"], ["notification", "tag"],
  ["notification", "actions"], ["data"], ["belfry", "campaign"], ["belfry", "to"], ["belfry", "action"], ["belfry", "action", "url"],
  ["belfry", "action", "type"], ["belfry", "buttons"], ["belfry", "badge"], ["belfry", "badge", "count"], ["belfry", "badge", "revision"],
  ["belfry", "sync"], ["late"],
];
function changed([field, ...inner], value, payload) {
  return { ...payload, [field]: inner.length ? changed(inner, value, payload[field] ?? {}) : value };
}

for (const field of FIELDS) {
  test(`WEB-4: a push is shown, clicked and reported whatever ${field.join(".")} is`, async () => {
    const world = await new WorkerWorld().start();
    world.refusesNotification = ({ actions }) => actions !== undefined && !(Array.isArray(actions) && actions.every((one) => one?.action && one.title));
    for (const [place, value] of VALUES.entries()) {
      await world.start();
      const { isOurs, error } = await world.push(changed(field, value, push(`sid-${place}`)));
      assert.deepEqual([isOurs, error], [true, undefined], JSON.stringify(value));
      assert.equal(world.shown.length, place + 1, JSON.stringify(value));
      const { error: clicked } = await world.click();
      assert.equal(clicked, undefined, JSON.stringify(value));
      assert.equal(world.opened.length, place + 1, JSON.stringify(value));
    }
    assert.ok(world.opened.every((url) => url.startsWith("https://shop.example/")), JSON.stringify(world.opened));
    assert.equal(world.reported.length, 3 * VALUES.length);
  });
}

test("WEB-4: a payload that is not Belfry's, or whose id is none, is left to the site", async () => {
  const world = await new WorkerWorld().start();
  for (const payload of [null, 1, "x", [], {}, { belfry: 1 }, { belfry: {} }, ...[null, 0, 7, true, {}, [], "", " ", { trim: 1 }].map((sid) => ({ ...push("x"), belfry: { sid } }))]) {
    assert.deepEqual(await world.push(payload), { isOurs: false, error: undefined }, JSON.stringify(payload));
  }
  const none = await world.happen({ type: "push", data: null });
  assert.equal(none.isOurs, false);
});

test("WEB-4: a notification without a title has the site's name", async () => {
  const world = await new WorkerWorld().start();
  await world.push({ belfry: { sid: "sid-1" }, notification: {} });
  assert.equal(world.shown[0].title, "shop.example");
});

test("BADGE-5, WEB-4: a browser that refuses the badge shows the push", async () => {
  const world = await new WorkerWorld().start();
  world.refusesBadge = true;
  const { error } = await world.push(push("sid-1", { badge: { count: 3, revision: 1 } }));
  assert.equal(error, undefined);
  assert.equal(world.shown.length, 1);
  assert.deepEqual(world.reported, ["push:received", "push:displayed"]);
});

test("BADGE-5: a silent push sets the badge, and shows nothing", async () => {
  const world = await new WorkerWorld().start();
  await world.push({ belfry: { sid: "sid-1", badge: { count: 2, revision: 1 } } });
  assert.deepEqual([world.badges, world.shown, world.reported], [[2], [], ["push:received"]]);
});

const GARBAGE = [null, 5, "x", [], { rejected: null }, { rejected: 5 }, { rejected: {} }, { rejected: [null] }, { contactToken: 7 }, { contactToken: {} }, { contactToken: "a\nb" }, { contactToken: "\u20ac" }];
for (const json of GARBAGE) {
  test(`WEB-4: reports leave once although the server answers ${JSON.stringify(json)}`, async () => {
    const world = await new WorkerWorld().start();
    world.answer = () => ({ status: 200, json });
    await world.push(push("sid-1"));
    await world.push(push("sid-2"));
    assert.deepEqual(world.storage.all("events"), []);
    assert.equal(world.storage.get("kept", "state").link.tokens.contactToken, "token-1");
    assert.ok(Number.isSafeInteger(world.storage.get("kept", "queue").setAside));
    assert.equal(world.requests.length, 2);
  });
}

test("WEB-4: the worker's requests follow no redirection, with which a token would leave for another server", async () => {
  const world = await new WorkerWorld().start();
  await world.push(push("sid-1"));
  assert.deepEqual(world.requests.map(({ redirect }) => redirect), ["error"]);
});

test("WEB-4: a server that answers 500 for ever is asked once a minute, and nothing is lost", async () => {
  const world = await new WorkerWorld().start();
  world.answer = () => ({ status: 500, text: "<h1>Bad" });
  for (const sid of ["sid-1", "sid-2", "sid-3"]) await world.push(push(sid));
  assert.equal(world.requests.length, 1);
  assert.equal(world.storage.all("events").length, 6);
});

test("WEB-3, WEB-4: a server that never answers does not keep a page from leading", async () => {
  const world = await new WorkerWorld().start();
  world.answer = () => new Promise(() => {});
  await world.push(push("sid-1"));
  assert.deepEqual([...world.locked], []);
  assert.equal(world.storage.all("events").length, 2, "the reports wait");
});

test("WEB-4: a clock that was set back does not hold reports up", async () => {
  const state = { gates: { uploads: { failures: 1, since: Date.now() + 86_400_000, delay: 60_000, asked: 0 } } };
  const world = await new WorkerWorld({ state }).start();
  await world.push(push("sid-1"));
  assert.deepEqual(world.reported, ["push:received", "push:displayed"]);
});
