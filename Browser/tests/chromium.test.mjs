// The SDK in a real Chromium: its storage, locks, channels, frames and workers, which no fake can vouch for [WEB-3 to WEB-5, WEB-8].
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { tests } from "./decisions.mjs";
import { website } from "./support/site.mjs";
import { skip, Stage, until } from "./support/stage.mjs";

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

/** A message whose page does this when its button is pressed. */
const message = (type, press) => `<!DOCTYPE html><html><body class="${type}"><div id="card"><button id="go">Go</button></div>
<script type="application/json" id="page">{"type":"${type}"}</script>
<script>document.getElementById("go").addEventListener("click", () => { ${press} });</script></body></html>`;

/** A page on which a message of this kind is shown. */
async function offered(html, content = "") {
  site = await stage.fresh({ "/": stage.page() + content });
  api.answer = ({ name, body }) => (name === "POST /client/events" && body.events.some((event) => event.name === "offer")
    ? { status: 200, json: { message: { campaignId: "77", html } } } : undefined);
  const tab = await stage.visit();
  await tab.run('void (window.shown = new Promise((resolve) => belfry.on("inApp", ({ state }) => state === "shown" && resolve())))');
  return tab;
}

/** Presses the button, which closes the message; a browser that has not drawn the frame yet hands it no press. */
async function press(tab) {
  const box = await tab.run('(({ x, y }) => ({ x, y }))(document.querySelector("dialog iframe").getBoundingClientRect())');
  for (let isOpen = true; isOpen; ) {
    for (const type of ["mousePressed", "mouseReleased"]) {
      tab.call("Input.dispatchMouseEvent", { type, x: box.x + 20, y: box.y + 15, button: "left", clickCount: 1 }).catch(() => {});
    }
    isOpen = await tab.run(`new Promise((resolve) => {
      const look = (left) => (left && document.querySelector("dialog") ? setTimeout(look, 20, left - 1) : resolve(left === 0));
      look(50);
    })`);
  }
}

test("IAM-9, WEB-5: an address elsewhere opens in a tab of its own, which does not reach the site's page; that stays", { skip }, async () => {
  const other = await website({ "/autumn": "<title>Autumn</title><script>document.title = `opened by ${window.opener}`</script>" });
  sites.push(other);
  const tab = await offered(message("modal", `Android.openExternalLink(JSON.stringify({ url: "${other.origin}/autumn" })); Android.close("{}");`));
  await tab.run('belfry.track("offer")');
  await tab.run("shown");
  await press(tab);
  await has("inapp:dismiss");
  const opened = async () => (await browser.call("Target.getTargets")).targetInfos.find(({ url }) => url === `${other.origin}/autumn`);
  let found;
  // The title is the page's answer.
  while (!/^opened/.test((found = await opened())?.title)) await tab.run("new Promise((resolve) => setTimeout(resolve, 20))");
  assert.equal(found.title, "opened by null");
  assert.equal(await tab.run("location.href"), `${site.origin}/`);
  await browser.call("Target.closeTarget", { targetId: found.targetId });
  await tab.close();
});

test("IAM-14, WEB-5: a banner leaves the keyboard where it is; a dialog takes it, and gives it back", { skip }, async () => {
  for (const [type, during] of [["bannerTop", "one"], ["modal", "IFRAME"]]) {
    const tab = await offered(message(type, 'Android.close("{}");'), '<input id="one"><input id="two">');
    await tab.run(`void (window.left = 0, document.addEventListener("focusout", () => { left += 1; }), document.getElementById("one").focus())`);
    await tab.run('belfry.track("offer")');
    await tab.run("shown");
    const focus = () => tab.run("document.activeElement.id || document.activeElement.tagName");
    assert.equal(await focus(), during);
    assert.equal(await tab.run("left"), during === "one" ? 0 : 1, "not even for a moment");
    assert.equal(await tab.run('document.querySelector("dialog").ariaLabel'), "Message");
    await press(tab);
    await has("inapp:dismiss");
    assert.equal(await focus(), "one");
    await tab.close();
  }
  // Who is somewhere else by the time the banner goes stays there.
  const tab = await offered(message("bannerTop", ""), '<input id="one"><input id="two">');
  await tab.run('document.getElementById("one").focus()');
  await tab.run('belfry.track("offer")');
  await tab.run("shown");
  await tab.run('document.getElementById("two").focus()');
  await tab.run("belfry.logout().then(() => belfry.identify('anna')).then(() => belfry.logout())");
  await tab.run(`new Promise((resolve) => {
    const look = () => (document.querySelector("dialog") ? setTimeout(look, 20) : resolve());
    look();
  })`);
  assert.equal(await tab.run("document.activeElement.id"), "two");
  await tab.close();
});

test("WEB-2: calls under way when the page stops the SDK, and later ones, end as they say; the page may start it anew", { skip }, async () => {
  await fresh();
  const calls = [
    'track("last")', 'identify("anna")', 'edit((record) => record.addTag("a"))', "logout()", "flush()", "messages()", "record()", "state()",
    "setMessageCenterEnabled(true)", "refreshMessages()", "pauseInApp(true)", 'showInline(document.createElement("div"), "banner")',
    "requestPushPermission()", "setTrackingEnabled(true)",
  ];
  const tab = await browser.open(site.origin);
  for (const pause of ["", "await 0;", "await new Promise(setTimeout);"]) {
    const outcomes = await tab.run(`(async () => {
      const belfry = await Belfry.start({ appCode: "shop", serverURL: "${api.origin}" });
      const outcome = (work) => work.then(() => "resolved", (error) => error.name + " " + error.code);
      const under = [${calls.map((call) => `outcome(belfry.${call})`)}];
      ${pause}
      await belfry.stop();
      return Promise.all([...under, ...[${calls.map((call) => `() => outcome(belfry.${call})`)}].map((late) => late())]);
    })()`);
    for (const [place, outcome] of outcomes.entries()) {
      const isLate = place >= calls.length;
      assert.match(outcome, isLate ? /^BelfryError stopped$/ : /^(resolved|BelfryError \w+)$/, `${calls[place % calls.length]} ${pause}`);
    }
    assert.equal(outcomes[0], "resolved", "what was stored counts");
  }
  await tab.run("started");
  await tab.run("belfry.flush()");
  await has("last", 3);
  await tab.close();
});

test("MC-14, WEB-5: in the sample, whoever deletes a message by keys is at the next one, and at the list after the last", { skip }, async () => {
  const sample = (name) => readFileSync(new URL(`../sample/${name}`, import.meta.url), "utf8");
  const script = sample("shop.js").replace(/http:\/\/127\.0\.0\.1:8080\/sdk\/[^/]+/, stage.sdk).replace("http://127.0.0.1:8080", api.origin);
  // The sample's policy names the server of its own.
  site = await stage.fresh({ "/": sample("index.html").replace(/<meta http-equiv.*/, ""), "/shop.js": script, "/shop.css": sample("shop.css") });
  const messages = ["a", "b", "c"].map((id, place) => (
    { id, subject: `Message ${id}`, message: "News", sent_ts: new Date(Date.now() - place * 60_000).toISOString(), state: "unread", custom: {} }));
  api.answer = ({ name }) => (name === "GET /client/message-centers"
    ? { status: 200, json: { messageCenters: [{ name: "Primary", label: "Inbox", messages }] } } : undefined);
  const tab = await browser.open(site.origin);
  const count = (left) => tab.run(until(`document.querySelectorAll("[data-do=remove]").length === ${left}`));
  await count(3);
  for (const [id, left, next] of [["b", 2, "c"], ["c", 1, "a"], ["a", 0, "messages"]]) {
    await tab.run(`void (document.querySelector("[data-id=${id}]").focus(), document.activeElement.click())`);
    await count(left);
    assert.equal(await tab.run("document.activeElement.dataset.id ?? document.activeElement.dataset.show"), next);
  }
  await stage.asked("PUT /client/messages/a/state", ({ body }) => body.state === "deleted");
  await tab.close();
});
