// The network comes back while a call is under way: its failure says nothing about the network of now (REG-7, EVT-5).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";

for (const [what, happen] of [
  ["the network returns", (world) => world.happen("online")],
  ["the page is shown again", (world) => {
    for (const isVisible of [false, true]) {
      world.isVisible = isVisible;
      world.happen(isVisible ? "visible" : "hidden");
    }
  }],
]) {
  test(`EVT-5: a call that left before ${what} begins no new wait by its failure`, async () => {
    const world = new World();
    world.isVisible = true;
    let held;
    const edge = () => {
      const real = world.edge();
      const { send } = real;
      const lost = () => ({ message: "No response: lost" });
      return Object.assign(real, { send: (request) => (held === undefined ? send(request) : held.then(lost)) });
    };
    const belfry = await Belfry.start({ appCode: "shop", serverURL: "http://server" }, edge);
    await world.settle();
    await belfry.track("waiting");
    let fail;
    held = new Promise((resolve) => { fail = resolve; });
    belfry.flush();
    await world.settle();
    happen(world);
    await world.settle();
    held = undefined;
    fail();
    await world.settle();
    await world.settle();
    assert.ok(world.stored.some(({ name }) => name === "waiting"));
    await belfry.stop();
  });
}
