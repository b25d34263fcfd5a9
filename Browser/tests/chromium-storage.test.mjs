// What becomes of the stored in a real Chromium: a full disk, a database that is not the SDK's, a private window; and what a
// message center keeps [WEB-3, WEB-5, WEB-8].
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { skip, Stage, until } from "./support/stage.mjs";

const stage = new Stage();
let browser;
let api;
let site;

before(async () => {
  if (skip) return;
  await stage.open();
  ({ browser, api } = stage);
});
after(() => stage.close());

async function fresh(pages) {
  site = await stage.fresh({ "/empty": "<p>A page without the SDK", ...pages });
}
const refused = (tab, call) => tab.run(`${call}.then(() => null, ({ code, message }) => ({ code, message }))`);

test("WEB-3, EVT-1: a full disk refuses what it cannot keep, and what was kept is sent", { skip }, async () => {
  await fresh();
  api.answer = ({ name }) => (name === "POST /client/events" ? { status: 503, json: { error: { code: "unavailable", message: "Not now." } } } : undefined);
  const tab = await browser.open(`${site.origin}/empty`);
  await tab.call("Storage.overrideQuotaForOrigin", { origin: site.origin, quotaSize: 400_000 });
  await tab.go(site.origin);
  await tab.run("started");
  await tab.run('belfry.track("before")');
  let refusal;
  let kept = 0;
  for (; !refusal && kept < 100; kept += refusal ? 0 : 1) refusal = await refused(tab, 'belfry.track("large", { text: "x".repeat(30_000) })');
  assert.equal(refusal?.code, "storageUnavailable", `after ${kept} events`);
  assert.match(refusal.message, /QuotaExceededError/);
  await tab.call("Storage.overrideQuotaForOrigin", { origin: site.origin });
  await tab.run('belfry.track("after")');
  api.answer = () => undefined;
  await tab.go(`${site.origin}/product`);
  await tab.run("started");
  await tab.run("belfry.flush()");
  await stage.has("after");
  assert.deepEqual(stage.names("custom"), ["before", ...Array(kept).fill("large"), "after"]);
  await tab.close();
});

const FOREIGN = {
  "of somebody else's, in another version": `const asked = indexedDB.open("belfry-shop", 7);
    asked.onupgradeneeded = () => asked.result.createObjectStore("theirs").put("a secret", "kept");`,
  "of somebody else's, in the same version": `const asked = indexedDB.open("belfry-shop", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("theirs").put("a secret", "kept");`,
  "whose state is damaged": `const asked = indexedDB.open("belfry-shop", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("theirs").put("a secret", "kept");
      asked.result.createObjectStore("events", { autoIncrement: true });
      asked.result.createObjectStore("kept").put({ id: "x", link: 7 }, "state");
    };`,
};
for (const [what, make] of Object.entries(FOREIGN)) {
  test(`WEB-3: a database ${what} is set aside as it is, and reported`, { skip }, async () => {
    await fresh();
    const tab = await browser.open(`${site.origin}/empty`);
    await tab.run(`new Promise((resolve) => { ${make} asked.onsuccess = () => { asked.result.close(); resolve(); }; })`);
    await tab.go(site.origin);
    await tab.run("started");
    await tab.run('belfry.track("kept")');
    await stage.has("kept");
    const [report] = await tab.run('reports.filter(({ type }) => type === "storageSetAside")');
    assert.match(report.message, /(Version|NotFound|Type)Error/);
    const { deviceId } = await tab.run("belfry.state()");
    await tab.go(`${site.origin}/product`);
    await tab.run("started");
    assert.equal((await tab.run("belfry.state()")).deviceId, deviceId, "the next page finds the same installation");
    const theirs = await tab.run(`new Promise((resolve) => {
      indexedDB.open("belfry-shop").onsuccess = ({ target: { result } }) => {
        result.transaction("theirs").objectStore("theirs").get("kept").onsuccess = (event) => resolve(event.target.result);
      };
    })`);
    assert.equal(theirs, "a secret", "what was there is there");
    await tab.close();
  });
}

test("WEB-3: in a private window the SDK works, and leaves nothing behind", { skip }, async () => {
  await fresh();
  const visit = async () => {
    const { browserContextId } = await browser.call("Target.createBrowserContext");
    const tab = await browser.open(site.origin, true, browserContextId);
    await tab.run("started");
    await tab.run('belfry.track("private")');
    const { deviceId } = await tab.run("belfry.state()");
    return { deviceId, end: () => browser.call("Target.disposeBrowserContext", { browserContextId }) };
  };
  const first = await visit();
  await stage.has("private");
  await first.end();
  const second = await visit();
  await stage.has("private", 2);
  assert.notEqual(second.deviceId, first.deviceId, "the next private window is another installation");
  await second.end();
});

const MESSAGES = ["one", "two"].map((id, place) => ({
  id, subject: `Message ${id}`, message: "There is news", sent_ts: new Date(Date.now() - place * 60_000).toISOString(), state: "unread", custom: {},
}));

test("WEB-5, MC-4, MC-14: messages survive a kill of the tab, are read without a network, and the server hears of it", { skip }, async () => {
  await fresh();
  api.answer = ({ name }) => (name === "GET /client/message-centers"
    ? { status: 200, json: { messageCenters: [{ name: "Primary", label: "Inbox", messages: MESSAGES }] } } : undefined);
  const tab = await stage.visit();
  await tab.run("belfry.setMessageCenterEnabled(true)");
  await tab.run(until("belfry.unreadCount === 2"));
  await tab.crash();
  const next = await stage.visit("/product");
  const { messages } = await next.run("belfry.messages()");
  assert.deepEqual(messages.map(({ id, state }) => [id, state]), [["one", "unread"], ["two", "unread"]]);
  await next.run("belfry.flush()");
  await next.call("Network.enable");
  await next.call("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await next.run('belfry.markRead("one")');
  await next.run(until("belfry.unreadCount === 1"));
  assert.equal((await refused(next, 'belfry.markRead("three")')).code, "unknownMessage");
  await next.call("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await stage.asked("PUT /client/messages/one/state", ({ body }) => body.state === "read");
  await next.close();
});
