// Pushes in a real Chromium: handed to the worker by the DevTools protocol, shown and reported [WEB-4, WEB-8]. It reaches no push
// service, so the subscription is that of `push-service.mjs`; the real way is that of Firefox (Server/Tests/Browser).
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { KEYS, PUSH_SERVICE } from "./support/push-service.mjs";
import { skip, Stage, until } from "./support/stage.mjs";

const stage = new Stage();
let browser;
let api;
let site;
let helper;

before(async () => {
  if (skip) return;
  await stage.open();
  ({ browser, api } = stage);
  helper = await browser.open("about:blank");
  await helper.call("ServiceWorker.enable");
});
after(() => stage.close());

/** A site with Belfry's worker in a scope of its own, and one beside it that the site had before. */
async function fresh({ permission = "granted", key = KEYS[0] } = {}) {
  const belfrys = `import { attach, handle } from "${stage.sdk}/belfry-worker.js"; ${PUSH_SERVICE} attach("shop");
    self.changed = async () => {
      await drop();
      await new Promise((resolve) => handle({ type: "pushsubscriptionchange", waitUntil: resolve }, "shop"));
    };`;
  const own = 'addEventListener("push", (event) => event.waitUntil(registration.showNotification("The site\'s own")));';
  const both = `import { handle } from "${stage.sdk}/belfry-worker.js"; addEventListener("push", (event) => {
      if (!handle(event, "shop")) event.waitUntil(registration.showNotification("The site's own: " + event.data.text()));
    });`;
  site = await stage.fresh({
    "/push": stage.page('worker: { url: "/belfry-sw.js", scope: "/belfry/" }', PUSH_SERVICE),
    "/belfry/page": "<p>A page of the worker's own scope", "/belfry-sw.js": belfrys, "/own-sw.js": own, "/both-sw.js": both,
    headers: { "Service-Worker-Allowed": "/" },
  });
  api.answer = ({ name }) => (name === "GET /client/web-push-key" ? { status: 200, json: { publicKey: key } } : undefined);
  await browser.call("Browser.setPermission", { origin: site.origin, permission: { name: "notifications" }, setting: permission });
}

/** Until the worker of a script is there; gives its registration's id. */
async function registered(tab, script, scope) {
  await tab.run(`navigator.serviceWorker.register("${script}", { scope: "${scope}", type: "module" })
    .then((made) => ${until('made.active?.state === "activated"')})`);
  await tab.call("ServiceWorker.enable");
  const isIt = ({ scopeURL, isDeleted }) => scopeURL === site.origin + scope && !isDeleted;
  const { params } = await browser.event(({ method, params: { registrations = [] } }) =>
    method === "ServiceWorker.workerRegistrationUpdated" && registrations.some(isIt));
  return params.registrations.find(isIt).registrationId;
}

const deliver = (registrationId, data) => helper.call("ServiceWorker.deliverPushMessage", { origin: site.origin, registrationId, data });
const push = (sid, to) => JSON.stringify({
  notification: {
    title: "Hello", body: "There is news", tag: `belfry-${sid}`, navigate: "/product", actions: [{ action: "more", title: "More", navigate: "/" }],
  },
  data: { order: "7" },
  belfry: { sid, campaign: "7", to, action: { type: "openUrl", url: "/product" }, buttons: [{ id: "more", text: "More" }] },
});
const shown = (tab, scope) => tab.run(`navigator.serviceWorker.getRegistration("${scope}").then((made) => made.getNotifications())
  .then((all) => all.map(({ title, body, tag, actions }) => ({ title, body, tag, actions: actions.map(({ action }) => action) })))`);
const reports = () => api.events.filter(({ name }) => name.startsWith("push:")).map(({ name, attributes }) => [name, attributes.sid]);
const endpoints = () => api.requests.filter(({ name }) => name === "PUT /client/push-token").map(({ body }) => JSON.parse(body.pushToken).endpoint);
const subscribed = (count) => api.until(() => endpoints().length >= count);
const state = (tab, change = "") => tab.run(`new Promise((resolve) => {
  indexedDB.open("belfry-shop").onsuccess = ({ target: { result } }) => {
    const kept = result.transaction("kept", "readwrite").objectStore("kept");
    kept.get("state").onsuccess = ({ target: { result: state } }) => { ${change}; kept.put(state, "state").onsuccess = () => resolve(state); };
  };
})`);

test("WEB-4, WEB-8: a push is shown and reported when no page is open", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  await stage.has("session:start");
  const worker = await registered(tab, "/belfry-sw.js", "/belfry/");
  await tab.close();
  await deliver(worker, push("sid-1", "tag-00000001"));
  await stage.has("push:displayed");
  assert.deepEqual(reports(), [["push:received", "sid-1"], ["push:displayed", "sid-1"]]);
  const view = await browser.open(`${site.origin}/belfry/page`);
  assert.deepEqual(await shown(view, "/belfry/"), [{ title: "Hello", body: "There is news", tag: "belfry-sid-1", actions: ["more"] }]);
  await view.close();
});

test("ID-4, WEB-4: a push for a person who has logged out is neither shown nor reported", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  await tab.run('belfry.identify("anna")');
  await stage.asked("POST /client/contact", ({ body }) => body?.contactFieldValue === "anna");
  const worker = await registered(tab, "/belfry-sw.js", "/belfry/");
  await tab.run(until('belfry.state().then(({ contact }) => contact === "known")'));
  await tab.run("belfry.flush()");
  const [annas] = (await state(tab)).tags.present.slice(-1);
  await tab.run("belfry.logout()");
  await tab.run("belfry.flush()");
  const [next] = (await state(tab)).tags.present.slice(-1);
  await tab.close();
  await deliver(worker, push("for-anna", annas));
  await deliver(worker, push("for-the-next", next));
  await stage.has("push:displayed");
  assert.deepEqual(reports(), [["push:received", "for-the-next"], ["push:displayed", "for-the-next"]]);
  const view = await browser.open(`${site.origin}/belfry/page`);
  assert.deepEqual((await shown(view, "/belfry/")).map(({ tag }) => tag), ["belfry-for-the-next"]);
  await view.close();
});

test("WEB-4: the worker registers a changed subscription without a page, with a token that it renews", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  await subscribed(1);
  await tab.run("belfry.flush()");
  const worker = await browser.worker(`${site.origin}/belfry-sw.js`, tab);
  await tab.close();
  const isOpen = async () => (await browser.pages()).some((url) => url.startsWith(site.origin));
  while (await isOpen());
  const usual = api.answer;
  api.answer = (call) => {
    if (call.name === "POST /client/contact-token") return { status: 200, json: { contactToken: "renewed" } };
    const isOld = call.name === "PUT /client/push-token" && call.headers["x-contact-token"] !== "renewed";
    return isOld ? { status: 401, json: { error: { code: "contactTokenExpired", message: "It is over." } } } : usual(call);
  };
  await worker.run("changed()");
  await subscribed(3);
  const [first, refused, taken] = endpoints();
  assert.notEqual(refused, first, "the subscription is another one");
  assert.equal(taken, refused, "it is sent again with the renewed token");
  const { body, headers } = api.requests.filter(({ name }) => name === "PUT /client/push-token").at(-1);
  assert.equal(body.provider, "webpush");
  assert.equal(headers["x-contact-token"], "renewed");
  const next = await stage.visit("/push");
  await next.run('belfry.track("later")');
  await stage.has("later");
  assert.equal(endpoints().length, 3, "the next page has nothing to send again");
  await next.close();
});

test("WEB-4: a subscription that changes while a page is open is registered once, by the tab that leads", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  await subscribed(1);
  await tab.run("belfry.flush()");
  const worker = await browser.worker(`${site.origin}/belfry-sw.js`, tab);
  await worker.run("changed()");
  await subscribed(2);
  await tab.run("belfry.flush()");
  const [first, second, ...others] = endpoints();
  assert.notEqual(second, first);
  assert.deepEqual(others, []);
  await tab.close();
});

test("WEB-4: a subscription that the browser has dropped is made again at the next page load", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  await subscribed(1);
  await tab.run("belfry.flush()");
  await tab.run("drop()");
  await tab.go(`${site.origin}/push`);
  await subscribed(2);
  const [first, second] = endpoints();
  assert.notEqual(second, first);
  await tab.close();
});

test("WEB-4: when the server's key has changed, the subscription is made again with the new one", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  await subscribed(1);
  await tab.run("belfry.flush()");
  await tab.run("belfry.stop()");
  api.answer = ({ name }) => (name === "GET /client/web-push-key" ? { status: 200, json: { publicKey: KEYS[1] } } : undefined);
  // The key is asked for once a day.
  await state(tab, "state.push.keyAt -= 86_400_000");
  await tab.go(`${site.origin}/push`);
  await subscribed(2);
  const { keys } = JSON.parse(api.requests.filter(({ name }) => name === "PUT /client/push-token").at(-1).body.pushToken);
  assert.equal(keys.p256dh, KEYS[1], "it belongs to the new key");
  await tab.close();
});

test("WEB-4, REG-30: without permission there is no subscription; a permission that comes later is used by itself", { skip }, async () => {
  await fresh({ permission: "denied" });
  const tab = await stage.visit("/push");
  assert.equal(await tab.run("belfry.pushState"), "denied");
  assert.equal(await tab.run("belfry.requestPushPermission()"), "denied");
  await stage.asked("POST /client/registration", ({ body }) => body.osPushEnabled === false);
  await tab.run("belfry.flush()");
  assert.deepEqual(api.requests.filter(({ name }) => /push/.test(name)), []);
  await browser.call("Browser.setPermission", { origin: site.origin, permission: { name: "notifications" }, setting: "granted" });
  await tab.go(`${site.origin}/push`);
  await tab.run("started");
  await subscribed(1);
  await tab.run(until('belfry.pushState === "subscribed"'));
  await tab.close();
});

test("WEB-4: a page without a worker is told that there are no pushes", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/");
  assert.equal(await tab.run("belfry.pushState"), "unsupported");
  assert.equal(await tab.run("belfry.requestPushPermission()"), "unsupported");
  await tab.close();
});

test("WEB-4: Belfry's worker has a scope of its own beside the one that the site has", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  const own = await registered(tab, "/own-sw.js", "/");
  const belfrys = await registered(tab, "/belfry-sw.js", "/belfry/");
  await deliver(own, "something of the site's");
  await deliver(belfrys, push("sid-2", "tag-00000001"));
  await stage.has("push:displayed");
  await tab.run(until('navigator.serviceWorker.getRegistration("/").then((made) => made.getNotifications()).then((all) => all.length)'));
  assert.deepEqual((await shown(tab, "/")).map(({ title }) => title), ["The site's own"]);
  assert.deepEqual((await shown(tab, "/belfry/")).map(({ title }) => title), ["Hello"]);
  assert.deepEqual(reports(), [["push:received", "sid-2"], ["push:displayed", "sid-2"]]);
  await tab.close();
});

test("WEB-4: the site's own worker asks Belfry first, and handles what is not Belfry's", { skip }, async () => {
  await fresh();
  const tab = await stage.visit("/push");
  const both = await registered(tab, "/both-sw.js", "/");
  await deliver(both, push("sid-3", "tag-00000001"));
  await stage.has("push:displayed");
  let count = 1;
  for (const text of ["no JSON", '{"belfry":{}}', '{"other":1}']) {
    await deliver(both, text);
    count += 1;
    await tab.run(until(`navigator.serviceWorker.getRegistration("/").then((made) => made.getNotifications()).then((all) => all.length === ${count})`));
  }
  const titles = (await shown(tab, "/")).map(({ title }) => title).sort();
  assert.deepEqual(titles, ["Hello", "The site's own: no JSON", 'The site\'s own: {"belfry":{}}', 'The site\'s own: {"other":1}'].sort());
  assert.deepEqual(reports(), [["push:received", "sid-3"], ["push:displayed", "sid-3"]]);
  await tab.close();
});
