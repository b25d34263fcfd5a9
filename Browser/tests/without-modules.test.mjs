// A page whose network is gone before the parts that are loaded later have come.
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";

test("REG-7: what a page does without network counts, even if parts of the SDK cannot be loaded", async () => {
  const world = new World();
  world.isVisible = true;
  world.isOnline = false;
  const options = { appCode: "shop", serverURL: "http://server" };
  const load = async () => { throw new TypeError("Failed to fetch dynamically imported module"); };
  const page = await Belfry.start(options, () => Object.assign(Object.create(world.edge()), { load }));
  await page.track("offline");
  assert.deepEqual(await page.identify("anna"), { accepted: true });
  await page.logout();
  await assert.rejects(page.edit((record) => record.addTag("a")), TypeError);
  await world.settle();
  world.kill();
  world.isOnline = true;
  const next = await Belfry.start(options, () => world.edge());
  await world.settle();
  await world.pass(2000);
  assert.deepEqual(world.stored.filter(({ type }) => type === "custom").map(({ name }) => name), ["offline"]);
  assert.deepEqual(world.requests.filter(({ request }) => request === "POST /client/contact").map(({ body }) => body?.contactFieldValue ?? null), ["anna", null]);
  const { contact, linkIsPending } = await next.state();
  assert.deepEqual({ contact, linkIsPending }, { contact: "anonymous", linkIsPending: false });
});

test("WEB-2, REG-14: a tab that cannot load what it needs to lead says so", async () => {
  const world = new World();
  world.isVisible = true;
  const edge = () => {
    const made = world.edge();
    return Object.assign(Object.create(made), {
      load: (part) => (part === "sync" ? Promise.reject(new TypeError("Failed to fetch: belfry-sync.js")) : made.load(part)),
    });
  };
  const page = await Belfry.start({ appCode: "shop", serverURL: "http://server" }, edge);
  const reports = [];
  page.on("report", (report) => reports.push(report));
  await world.settle();
  assert.deepEqual(reports.map(({ type, message }) => [type, message]), [["callFailed", "Failed to fetch: belfry-sync.js"]]);
  await page.stop();
  world.kill();
});

test("REG-8: an edit whose function waits is refused, and changes nothing", async () => {
  const world = new World();
  const page = await Belfry.start({ appCode: "shop", serverURL: "http://server" }, () => world.edge());
  await assert.rejects(page.edit(async (record) => record.addTag("a")), { code: "invalidEdit" });
  await assert.rejects(page.edit(() => { throw new RangeError("the site's own"); }), RangeError);
  await page.edit((record) => record.setAttribute("__proto__", "x"));
  const { tags, attributes } = await page.record();
  assert.deepEqual(tags, []);
  assert.deepEqual(Object.entries(attributes), [["__proto__", "x"]]);
});

test("WEB-2: a configuration that cannot work is refused with its field", async () => {
  const world = new World();
  for (const [field, options] of [["appCode", { appCode: "..", serverURL: "https://a.example" }], ["serverURL", { appCode: "shop", serverURL: "ftp://a.example" }]]) {
    await assert.rejects(Belfry.start(options, () => world.edge()), { code: "invalidConfiguration", field });
  }
});
