// A server, or something in front of it, that answers what nobody can read: the SDK waits, says nothing wrong, and goes on (WIRE-1, REG-5).
import { test } from "node:test";
import assert from "node:assert/strict";
import { Belfry } from "../belfry.js";
import { World } from "./support/world.mjs";

const CALLS = {
  "POST /client": [],
  "POST /client/contact": [
    { contactToken: {}, refreshToken: 1, contactReference: 5 }, { contactToken: "t", refreshToken: "r", contactReference: {} },
    // With those no browser makes a request any more.
    ...["a\nb", "a\u0000", "\u20ac", "a b"].map((contactToken) => ({ contactToken, refreshToken: "r", contactReference: "tag-00000001.r" })),
  ],
  "POST /client/contact-token": [{ contactToken: {} }, {}, { contactToken: "a\nb" }, { contactToken: "\u20ac" }],
  "POST /client/registration": [
    { revision: "$sent.revision", registration: 5 }, { revision: "$sent.revision", registration: { revision: 1, rejected: 5 } },
    { revision: 1e308 }, { revision: "$sent.revision", registration: { revision: "x", rejected: [null] } },
  ],
  "POST /client/events": [
    { rejected: 5 }, { rejected: {} }, { rejected: [null] }, { rejected: [{ index: "x" }, { index: {}, reason: {} }] }, { message: 5 },
    { message: { campaignId: {}, html: 7 } }, { onEventAction: 5 }, { onEventAction: { actions: 5 } }, { onEventAction: { actions: [null, 5, {}] } },
  ],
  "GET /client/message-centers": [
    { messageCenters: 5 }, { messageCenters: [null] }, { messageCenters: [{ name: 5, messages: [null] }] }, { messageCenters: [{ messages: 5 }] },
    { messageCenters: [], badge: 7 }, { messageCenters: [], badge: { revision: "z", count: {} } }, { messageCenters: [], registration: 5 },
    { messageCenters: [], disabled: 5 }, { messageCenters: [{ name: "Primary", messages: [{ id: "a", subject: "b", sent_ts: "2026-01-01T00:00:00Z", expiry_ts: {}, deeplink_url: {}, state: 7 }] }] },
  ],
};
const ANY = [null, 5, "x", [], true];

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

for (const [on, own] of Object.entries(CALLS)) {
  for (const json of [...ANY, ...own]) {
    test(`WEB-3: ${on} answered with ${JSON.stringify(json)}: patience, then everything arrives`, async () => {
      const world = new World();
      world.isVisible = true;
      world.answers.push({ on, status: 200, json, left: Infinity });
      // A token is renewed only after one is refused.
      if (on === "POST /client/contact-token") world.answers.push({ on: "POST /client/events", status: 401, error: "expired", left: 1 });
      const belfry = await Belfry.start({ appCode: "shop", serverURL: "http://server" }, () => world.edge());
      const reports = [];
      belfry.on("report", (report) => reports.push(report.type));
      await belfry.setMessageCenterEnabled(true);
      await belfry.track("kept");
      await world.settle();
      await world.pass(600_000);
      assert.ok(world.requests.filter(({ request }) => request === on).length <= 20, `asked ${world.requests.length} times`);
      assert.deepEqual(reports.filter((type) => /storage|callFailed/.test(type)), []);
      await belfry.messages();
      world.answers = [];
      await belfry.track("later");
      await world.settle();
      await world.pass(1_800_000);
      const names = world.stored.filter(({ type }) => type === "custom").map(({ name }) => name);
      assert.ok(names.includes("later"), JSON.stringify(names));
      assert.equal((await belfry.messages()).error, null);
      const { linkIsPending, registration } = await belfry.state();
      assert.deepEqual([linkIsPending, registration.isPending], [false, false]);
      assert.deepEqual(unhandled.splice(0), []);
      await belfry.stop();
      world.kill();
    });
  }
}

for (const inlineMessages of [5, {}, [null], [5], "x"]) {
  test(`IAM-12: inline messages answered with ${JSON.stringify(inlineMessages)} are none`, async () => {
    const world = new World();
    world.isVisible = true;
    world.answers.push({ on: "POST /inline-messages", status: 200, json: { inlineMessages }, left: Infinity });
    const belfry = await Belfry.start({ appCode: "shop", serverURL: "http://server" }, () => world.edge());
    await world.settle();
    assert.equal(await belfry.showInline({ replaceChildren() {} }, "banner"), false);
    await belfry.stop();
    world.kill();
  });
}
