// What of a person leaves the browser with a wipe: what is shown of them, and the way on which their pushes come (REG-36, ID-4).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";

const OPTIONS = { appCode: "shop", serverURL: "http://server" };

/** A browser with pushes, its subscriptions, and what it shows. */
class Browser {
  made = 0;
  shown = [];
  present = null;

  get registration() {
    return {
      getNotifications: async () => [...this.shown],
      pushManager: { getSubscription: async () => this.present, subscribe: async () => (this.present = this.#subscription()) },
    };
  }
  #subscription() {
    this.made += 1;
    const { made } = this;
    return {
      options: { applicationServerKey: new Uint8Array([1, 2, 3]) }, toJSON: () => ({ endpoint: `https://push.example/${made}`, keys: {} }),
      unsubscribe: async () => { this.present = null; },
    };
  }
  notify(data) {
    const one = { data, close: () => { this.shown = this.shown.filter((other) => other !== one); } };
    this.shown.push(one);
  }
  edgeOf(world) {
    return Object.assign(world.edge(), { hasPush: true, permission: "granted", worker: { registration: this.registration } });
  }
}

async function visit(world, browser) {
  const belfry = await Belfry.start(OPTIONS, () => browser.edgeOf(world));
  await world.settle();
  await world.pass(3000);
  return belfry;
}
const endpoints = (world) => world.requests.filter(({ request }) => request === "PUT /client/push-token").map(({ body }) => JSON.parse(body.pushToken).endpoint);

async function start() {
  const [world, browser] = [new World(), new Browser()];
  world.isVisible = true;
  world.answers.push({ on: "GET /client/web-push-key", status: 200, json: { publicKey: "AQID" }, left: Infinity });
  const belfry = await visit(world, browser);
  assert.deepEqual(endpoints(world), ["https://push.example/1"]);
  browser.notify({ belfry: { sid: "sid-1" } });
  browser.notify({ theirs: true });
  return { world, browser, belfry };
}

for (const [what, wipe] of [
  ["a wipe", ({ belfry }) => belfry.wipe()],
  ["an erasure that the server tells of", async ({ belfry, world }) => {
    world.answers.push({ on: "POST /client/events", status: 410, error: "erased", left: 1 });
    await belfry.track("last");
    await world.settle();
    await world.pass(2000);
  }],
]) {
  test(`REG-36: ${what} removes the person's notifications from the screen, and no other`, async () => {
    const stage = await start();
    await wipe(stage);
    await stage.world.settle();
    assert.equal((await stage.belfry.state()).isResting, true);
    assert.deepEqual(stage.browser.shown.map(({ data }) => data), [{ theirs: true }]);
    await stage.belfry.stop();
  });
}

test("REG-36, ID-4: after a wipe the next installation has another subscription, so no push of the former one reaches it", async () => {
  const { world, browser, belfry } = await start();
  await belfry.wipe();
  await belfry.stop();
  world.kill();
  const next = await visit(world, browser);
  assert.deepEqual(endpoints(world), ["https://push.example/1", "https://push.example/2"]);
  await next.stop();
});
