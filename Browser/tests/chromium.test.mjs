// The SDK in a real Chromium: its storage, locks, channels, frames and workers, which no fake can vouch for [WEB-3 to WEB-5, WEB-8].
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { tests } from "./decisions.mjs";
import { website } from "./site.mjs";
import { skip, Stage } from "./stage.mjs";

const stage = new Stage();
let browser;
let api;
let site;
const sites = [];

before(async () => {
  if (skip) return;
  await stage.open();
  ({ browser, api } = stage);
});
after(async () => {
  await stage.close();
  for (const server of sites) server.close();
});

async function fresh() {
  site = await stage.fresh({
    "/denied": `<script>window.outcome = new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data)))</script>
      <iframe sandbox="allow-scripts" srcdoc="<script type=module>import('${api.origin}/sdk/1.0.0/belfry.js')
        .then(({ Belfry }) => Belfry.start({ appCode: 'shop', serverURL: '${api.origin}' }))
        .then(() => 'started', (error) => error.code).then((code) => parent.postMessage(code, '*'))</script>"></iframe>`,
  });
}
const names = (type) => stage.names(type);
const has = (...event) => stage.has(...event);

test("WEB-3: the decisions hold in a browser as they do under Node", { skip }, async () => {
  const folder = new URL("../", import.meta.url);
  const paths = [...readdirSync(folder).filter((name) => name.endsWith(".js")), "tests/decisions.mjs", "tests/rules.html"];
  site = await website(Object.fromEntries(paths.map((path) => [`/${path}`, readFileSync(new URL(path, folder), "utf8")])));
  sites.push(site);
  const tab = await browser.open(`${site.origin}/tests/rules.html`);
  const lines = await tab.run('[...document.querySelectorAll("#results li")].map((line) => line.textContent)');
  assert.deepEqual(lines, tests.map(({ name }) => `ok: ${name}`));
});

test("WEB-3: a page registers, and its events arrive once, in order", { skip }, async () => {
  await fresh();
  const tab = await browser.open(site.origin);
  await tab.run("started");
  await tab.run('Promise.all([belfry.track("one", { n: 1 }), belfry.track("two"), belfry.track("three")])');
  await has("three");
  assert.deepEqual(names("custom"), ["one", "two", "three"]);
  assert.deepEqual(names("internal"), ["app:start", "session:start"]);
  const firsts = api.requests.map(({ name }) => name);
  assert.deepEqual(firsts.slice(0, 3), ["POST /client", "POST /client/contact", "POST /client/registration"]);
  const { body } = api.requests[2];
  assert.equal(body.platform, "web");
  assert.match(body.deviceModel, /^Chrome \d+$/);
  await tab.go(`${site.origin}/product`);
  await tab.run("started");
  await tab.run('belfry.track("four")');
  await has("four");
  assert.deepEqual(names("internal"), ["app:start", "session:start"], "a visit over two pages is one session");
  assert.equal(api.requests.filter(({ name }) => name === "POST /client").length, 1, "known properties are not sent again");
  await tab.close();
});

test("EVT-3: an event whose track has returned survives the death of its tab", { skip }, async () => {
  await fresh();
  api.answer = ({ name }) => (name === "POST /client/events" ? { status: 503, json: { error: { code: "unavailable", message: "Not now." } } } : undefined);
  const tab = await browser.open(site.origin);
  await tab.run("started");
  await tab.run('Promise.all(Array.from({ length: 20 }, (_, n) => belfry.track(`event-${n}`)))');
  await tab.crash();
  assert.equal(names("custom").length, 0);
  api.answer = () => undefined;
  const next = await browser.open(site.origin);
  await next.run("started");
  // Another visit of the site ends the wait that the failures began.
  await next.run("belfry.flush()");
  await has("event-19");
  assert.deepEqual(names("custom"), Array.from({ length: 20 }, (_, n) => `event-${n}`));
  await next.close();
});

test("WEB-3: one tab leads, the other follows, and leads when the first is gone", { skip }, async () => {
  await fresh();
  const first = await browser.open(site.origin);
  await first.run("started");
  await api.until(({ requests }) => requests.some(({ name }) => name === "POST /client/registration"));
  const second = await browser.open(`${site.origin}/product`);
  await second.run("started");
  assert.equal((await first.run("belfry.state()")).isLeading, true);
  assert.equal((await second.run("belfry.state()")).isLeading, false);
  await second.run('belfry.track("of the second")');
  await has("of the second");
  await first.close();
  await second.run('new Promise((resolve) => { const look = async () => ((await belfry.state()).isLeading ? resolve() : setTimeout(look, 20)); look(); })');
  await second.run('belfry.track("after the first")');
  await has("after the first");
  const ids = new Set(api.requests.map(({ headers }) => headers["x-client-id"]));
  assert.equal(ids.size, 1, "two tabs are one installation");
  const orders = api.requests.map(({ headers }) => Number(headers["x-request-order"]));
  assert.deepEqual(orders, [...orders].sort((a, b) => a - b));
  await second.close();
});

test("EVT-6: of two visible windows one may go; the visit goes on, and ends with the other", { skip }, async () => {
  await fresh();
  const [first, second] = [await browser.open(site.origin, true), await browser.open(`${site.origin}/product`, true)];
  await first.run("started");
  await second.run("started");
  const isShown = (tab, state) => tab.run(`new Promise((resolve) => {
    const look = async () => ((await belfry.state()).appState === "${state}" ? resolve() : setTimeout(look, 20));
    look();
  })`);
  const hide = (tab) => tab.run(`Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange")); belfry.track("hidden")`);
  await hide(first);
  await isShown(second, "foreground");
  await hide(second);
  await isShown(second, "background");
  await has("hidden", 2);
  assert.deepEqual(names("internal"), ["app:start", "session:start"]);
  await first.close();
  await second.close();
});

test("REG-7: without network nothing is lost; what waits leaves once when it returns", { skip }, async () => {
  await fresh();
  const tab = await browser.open(site.origin);
  await tab.run("started");
  await has("session:start");
  // A browser keeps the SDK's files for good; this test's server lets it keep nothing.
  await tab.run("belfry.state()");
  await tab.call("Network.enable");
  await tab.call("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await tab.run('belfry.track("offline")');
  await tab.run('belfry.identify("anna")');
  assert.equal((await tab.run("belfry.state()")).isOnline, false);
  await tab.call("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await has("offline");
  await api.until(({ requests }) => requests.some(({ body }) => body?.contactFieldValue === "anna"));
  assert.equal(names("custom").length, 1);
  await tab.close();
});

test("WEB-3: where the browser denies its storage, start rejects and the page goes on", { skip }, async () => {
  await fresh();
  // A frame without an origin is denied what a browser denies where all of a site's data is blocked.
  const tab = await browser.open(`${site.origin}/denied`);
  assert.equal(await tab.run("outcome"), "storageUnavailable");
  assert.equal(api.requests.length, 0);
  await tab.close();
});

test("ID-4: a logout removes the person's data before it returns, in every tab", { skip }, async () => {
  await fresh();
  const tab = await browser.open(site.origin);
  const other = await browser.open(`${site.origin}/product`);
  await tab.run("started");
  await other.run("started");
  await tab.run('belfry.identify("anna")');
  await tab.run('belfry.edit((record) => { record.setAttribute("city", "Paris"); record.addTag("sports"); })');
  assert.deepEqual(await other.run("belfry.record()"), { contactKey: "anna", attributes: { city: "Paris" }, tags: ["sports"], pushEnabled: true });
  await tab.run("belfry.logout()");
  assert.deepEqual(await other.run("belfry.record()"), { contactKey: null, attributes: {}, tags: [], pushEnabled: true });
  await other.close();
  await tab.close();
});

const PAGE = `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'"></head>
<body class="modal"><div id="card"><button id="go">Go</button></div><script type="application/json" id="page">{"type":"modal"}</script>
<script>document.getElementById("go").addEventListener("click", () => {
  Android.buttonClicked(JSON.stringify({ buttonId: "go" }));
  Android.triggerMEEvent(JSON.stringify({ name: "pressed", payload: { n: 1 } }));
  Android.openExternalLink(JSON.stringify({ url: "https://shop.example/autumn" }));
  Android.triggerAppEvent(JSON.stringify({ name: "reach", payload: { reach, kept } }));
  Android.close("{}");
});
let reach; try { reach = String(parent.document.title); } catch (error) { reach = error.name; }
let kept; try { kept = String(indexedDB.open("x")); } catch (error) { kept = error.name; }
</script></body></html>`;

test("WEB-5: a message that the server sends is shown in a frame that reaches nothing, and is reported", { skip }, async () => {
  await fresh();
  api.answer = ({ name, body }) => (name === "POST /client/events" && body.events.some((event) => event.name === "offer")
    ? { status: 200, json: { message: { campaignId: "77", html: PAGE } } } : undefined);
  const tab = await browser.open(site.origin);
  await tab.run("started");
  await tab.run('void (window.shown = new Promise((resolve) => belfry.on("inApp", ({ state }) => state === "shown" && resolve())))');
  await tab.run('void belfry.on("inAppLink", (link) => { link.preventDefault(); window.link = link.url; })');
  await tab.run('void belfry.on("inAppEvent", ({ attributes }) => { window.reached = attributes; })');
  await tab.run('belfry.track("offer")');
  await tab.run("shown");
  await has("inapp:viewed");
  const frame = await tab.run('(({ sandbox, src }) => ({ sandbox: String(sandbox), src }))(document.querySelector("dialog iframe"))');
  assert.deepEqual(frame, { sandbox: "allow-scripts", src: `${api.origin}/sdk/1.0.0/belfry-frame.html` });
  const box = await tab.run('(({ x, y }) => ({ x, y }))(document.querySelector("dialog iframe").getBoundingClientRect())');
  for (const type of ["mousePressed", "mouseReleased"]) {
    // Not awaited: the frame that would answer goes with the press.
    tab.call("Input.dispatchMouseEvent", { type, x: box.x + 20, y: box.y + 20, button: "left", clickCount: 1 }).catch(() => {});
  }
  await has("inapp:dismiss");
  assert.deepEqual(api.events.filter(({ name }) => name === "pressed").map(({ attributes }) => attributes), [{ n: 1 }]);
  const click = api.events.find(({ name }) => name === "inapp:click");
  assert.deepEqual(click.attributes, { campaignId: "77", buttonId: "go" });
  assert.equal(api.events.find(({ name }) => name === "inapp:dismiss").attributes.how, "button");
  assert.equal(await tab.run('document.querySelector("dialog")'), null);
  assert.equal(await tab.run("link"), "https://shop.example/autumn");
  assert.deepEqual(await tab.run("reached"), { reach: "SecurityError", kept: "SecurityError" });
  await tab.close();
});
