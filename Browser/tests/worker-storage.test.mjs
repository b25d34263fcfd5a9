// A push is shown whatever the storage does: browsers take a subscription away whose pushes show nothing (WEB-4).
import { test } from "node:test";
import assert from "node:assert/strict";
import { push, WorkerWorld } from "./support/worker-world.mjs";

const FAULTS = {
  "cannot be opened (private window)": { open: "SecurityError" },
  "cannot be opened (damaged)": { open: "UnknownError" },
  "is never opened (blocked)": { open: "hang" },
  "is of another version in both places": { open: "VersionError" },
  "has lost its stores": { transaction: "NotFoundError" },
  "is closed": { transaction: "InvalidStateError" },
  "never answers": { transaction: "hang" },
  "cannot be read": { read: "UnknownError" },
  "cannot be written": { write: "QuotaExceededError" },
  "is full": { commit: "QuotaExceededError" },
};
for (const [what, faults] of Object.entries(FAULTS)) {
  test(`WEB-4: a push is shown and a click is followed where the storage ${what}; both are reported when it works`, async () => {
    const world = await new WorkerWorld().start();
    world.storage.faults = faults;
    const { error } = await world.push(push("sid-1", { badge: { count: 3, revision: 1 } }));
    assert.equal(error, undefined);
    assert.deepEqual(world.shown.map(({ title, body, tag }) => [title, body, tag]), [["Hello", "There is news", "belfry-sid-1"]]);
    assert.deepEqual(world.badges, [3]);
    assert.deepEqual(world.reported, []);
    assert.equal(world.reports[0]?.type, "storageFailed", "a page that is open hears of it");
    assert.equal(world.reports[0].code, "storageUnavailable");
    assert.ok(world.reports[0].message);
    await world.click();
    assert.deepEqual(world.opened, ["https://shop.example/product"]);
    world.storage.faults = {};
    await world.push(push("sid-2"));
    assert.deepEqual(world.reported, ["push:received", "push:displayed", "push:click", "push:received", "push:displayed"]);
  });
}

test("WEB-4: what a worker could not store, the next one reports when the notification is clicked or dismissed", async () => {
  const world = await new WorkerWorld().start();
  world.storage.faults = { open: "UnknownError" };
  await world.push(push("sid-1"));
  await world.push(push("sid-2"));
  world.storage.faults = {};
  await world.start();
  await world.click(world.shown[0]);
  await world.dismiss(world.shown[1]);
  assert.deepEqual(world.reported, ["push:received", "push:displayed", "push:click", "push:received", "push:displayed", "push:dismiss"]);
  const [{ timestamp }] = world.requests[0].body.events;
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
});

test("WEB-4: a report that was stored is not stored again by the click", async () => {
  const world = await new WorkerWorld().start();
  await world.push(push("sid-1"));
  await world.start();
  await world.click();
  const ids = world.requests.flatMap(({ body }) => body.events.map(({ id }) => id));
  assert.deepEqual(ids, [...new Set(ids)]);
  assert.equal(ids.length, 3);
});

test("WEB-4: two pushes at once, and a storage that fails for the first alone, lose no report", async () => {
  const world = await new WorkerWorld().start();
  world.storage.faults = { write: "QuotaExceededError" };
  await Promise.all([world.push(push("sid-1")), world.push(push("sid-2"))]);
  world.storage.faults = {};
  await Promise.all([world.push(push("sid-3")), world.push(push("sid-4"))]);
  assert.equal(world.shown.length, 4);
  assert.equal(world.reported.length, 8);
});

test("WEB-4: reports that cannot be stored do not grow without a limit", async () => {
  const world = await new WorkerWorld().start();
  world.storage.faults = { open: "UnknownError" };
  for (let number = 0; number < 120; number += 1) await world.push(push(`sid-${number}`));
  world.storage.faults = {};
  await world.push(push("last"));
  assert.equal(world.shown.length, 121);
  assert.ok(world.reported.length <= 102, `${world.reported.length}`);
});

test("WEB-4: site data that is cleared while the worker runs does not end its pushes", async () => {
  for (const end of ["clear", "deleteBySite"]) {
    const world = await new WorkerWorld().start();
    await world.push(push("sid-1"));
    world.storage[end]();
    const { error } = await world.push(push("sid-2"));
    assert.equal(error, undefined, end);
    assert.equal(world.shown.length, 2, end);
  }
});

test("WEB-4: a changed subscription is made again without the storage, with the key of the former one", async () => {
  const world = await new WorkerWorld().start();
  world.storage.faults = { open: "UnknownError" };
  const oldSubscription = { options: { applicationServerKey: "key-of-the-former" } };
  const { error } = await world.happen({ type: "pushsubscriptionchange", oldSubscription });
  assert.equal(error, undefined);
  assert.deepEqual(world.subscribed, ["key-of-the-former"]);
  world.storage.faults = {};
  await world.happen({ type: "pushsubscriptionchange", oldSubscription });
  assert.equal(world.subscribed[1], "key-1");
  assert.equal(world.requests.at(-1).request, "PUT /client/push-token");
});

test("ID-4: a former person's push is not shown as long as the storage can say so", async () => {
  const world = await new WorkerWorld({ state: { tags: { former: ["tag-00000009"], present: ["tag-00000001"], firstOwner: 1 } } }).start();
  await world.push(push("sid-1", { to: "tag-00000009" }));
  assert.deepEqual([world.shown, world.reported], [[], []]);
});
