// Where a click on a notification leads, with tabs of the worker's own scope and of others (WEB-4).
import { test } from "node:test";
import assert from "node:assert/strict";
import { push, WorkerWorld } from "./support/worker-world.mjs";

const SITE = "https://shop.example";
const PRODUCT = `${SITE}/product`;

/** After a click on a push with that action. */
async function clicked(action, tabs) {
  const world = await new WorkerWorld().start();
  const windows = tabs.map(([url, isControlled]) => world.tab(url, isControlled));
  await world.push(push("sid-1", { action }));
  const { error } = await world.click();
  assert.equal(error, undefined);
  assert.deepEqual(world.reported, ["push:received", "push:displayed", "push:click"]);
  return { opened: world.opened, focused: world.focused.map((tab) => windows.indexOf(tab)), urls: windows.map(({ url }) => url) };
}
const toProduct = { type: "openUrl", url: "/product" };

test("WEB-4: where no tab is the worker's own, as with a scope of its own, a click opens the address in a window", async () => {
  const { opened, focused, urls } = await clicked(toProduct, [[`${SITE}/cart`, false], [`${SITE}/`, false]]);
  assert.deepEqual([opened, focused], [[PRODUCT], []]);
  assert.deepEqual(urls, [`${SITE}/cart`, `${SITE}/`], "what the person has open stays as it is");
});

test("WEB-4: a tab that the worker controls is brought to the front and led to the address", async () => {
  const { opened, focused, urls } = await clicked(toProduct, [[`${SITE}/cart`, false], [`${SITE}/`, true]]);
  assert.deepEqual([opened, focused, urls], [[], [1], [`${SITE}/cart`, PRODUCT]]);
});

test("WEB-4: a tab that is at the address is brought to the front, whoever controls it", async () => {
  for (const isControlled of [true, false]) {
    const { opened, focused } = await clicked(toProduct, [[`${SITE}/`, true], [PRODUCT, isControlled]]);
    assert.deepEqual([opened, focused], [[], [1]]);
  }
});

test("WEB-4: an address of another site is opened in a window of its own", async () => {
  const address = "https://other.example/offer";
  const { opened, focused, urls } = await clicked({ type: "openUrl", url: address }, [[`${SITE}/`, true]]);
  assert.deepEqual([opened, focused, urls], [[address], [], [`${SITE}/`]]);
});

test("WEB-4: without an address any tab of the site comes to the front, and without a tab the site is opened", async () => {
  for (const isControlled of [true, false]) {
    const { opened, focused, urls } = await clicked({ type: "launchApp" }, [[`${SITE}/cart`, isControlled], [`${SITE}/`, isControlled]]);
    assert.deepEqual([opened, focused, urls], [[], [0], [`${SITE}/cart`, `${SITE}/`]]);
  }
  assert.deepEqual((await clicked({ type: "launchApp" }, [])).opened, [`${SITE}/`]);
});
