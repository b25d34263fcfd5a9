// The SDK in a real Chromium with the real server: a campaign's push is encrypted by the server, decrypted by a simulated push
// service, handed to the worker by the DevTools protocol, and its display is in the ledger [WEB-4, WEB-8].
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { Chromium, CHROMIUM } from "./support/chromium.mjs";
import { eventually, PROGRAM, Server } from "./support/server.mjs";
import { website } from "./support/site.mjs";

const skip = !CHROMIUM ? "there is no Chromium" : !PROGRAM ? "the program belfry is not built" : false;
let server;
let browser;
let site;

before(async () => {
  if (skip) return;
  server = await new Server().start();
  browser = new Chromium();
});
after(async () => {
  await browser?.close();
  site?.close();
  await server?.close();
});

/** The browser's push service would give this subscription. */
const subscribed = (subscription, key) => `
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0)).buffer;
  const found = { options: { applicationServerKey: bytes("${key}") }, toJSON: () => (${JSON.stringify(subscription)}), unsubscribe: async () => true };
  let isThere = false;
  PushManager.prototype.getSubscription = async () => (isThere ? found : null);
  PushManager.prototype.subscribe = async () => { isThere = true; return found; };`;

test("WEB-8, WEB-4, LED-1: a campaign reaches a Chromium without a page, and the ledger has what became of it", { skip }, async () => {
  const lines = JSON.parse(await server.belfry("app", "web", "shop", "--json"));
  const { json: subscription } = await server.ask(`${server.control}/webpush/subscriptions`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ applicationServerKey: lines.publicKey }),
  });
  const head = lines.page.replace("const belfry =", "const belfry = window.belfry =");
  site = await website({
    "/": `<!doctype html><meta charset="utf-8"><title>Shop</title><script>${subscribed(subscription, lines.publicKey)}</script>${head}`,
    "/empty": "<!doctype html><title>Shop</title>", "/belfry-sw.js": lines.worker,
  });
  await server.api("PUT", "/settings", { allowedOrigins: [site.origin] });
  await browser.call("Browser.setPermission", { origin: site.origin, permission: { name: "notifications" }, setting: "granted" });
  const tab = await browser.open(site.origin);
  const device = await eventually("the SDK has started", () => tab.run("window.belfry?.state().then(({ deviceId }) => deviceId)"));
  await eventually("the server may send to it", async () => ((await server.api("GET", `/devices/${device}`)).json?.push?.eligible ? true : undefined));
  await tab.call("ServiceWorker.enable");
  const isIt = ({ scopeURL }) => scopeURL === `${site.origin}/`;
  const { params } = await browser.event(({ method, params: { registrations = [] } }) =>
    method === "ServiceWorker.workerRegistrationUpdated" && registrations.some(isIt));
  const { registrationId } = params.registrations.find(isIt);
  const helper = await browser.open("about:blank");
  await helper.call("ServiceWorker.enable");
  await tab.close();

  const { json: { id } } = await server.api("POST", "/campaigns", {
    name: "Autumn", kind: "push", audience: { everyone: true },
    push: { title: "Autumn", body: "Two for one", buttons: [{ id: "more", text: "More", action: { type: "openUrl", url: `${site.origin}/empty` } }] },
  });
  await server.api("POST", `/campaigns/${id}/launch`);
  const path = new URL(subscription.endpoint).pathname.split("/").at(-1);
  const data = await eventually("the push service has the push", async () => {
    const { json } = await server.ask(`${server.control}/webpush/subscriptions/${path}/notifications?after=0&wait=5`);
    return json?.[0]?.payload;
  });
  await helper.call("ServiceWorker.deliverPushMessage", { origin: site.origin, registrationId, data });
  // Each is counted in its own time: the push service's answer, and the device's report.
  await eventually("the ledger has the push and its display", async () => {
    const { json: { counts } } = await server.api("GET", `/campaigns/${id}`);
    return counts.displayed === 1 && counts.accepted === 1 ? counts : undefined;
  });
  const { json: explained } = await server.api("GET", `/explain?campaign=${id}&device=${device}`);
  assert.equal(explained.state, "accepted");
  assert.ok(explained.history.some(({ what }) => /displayed/.test(what)), JSON.stringify(explained));
  const view = await browser.open(`${site.origin}/empty`);
  const shown = await view.run(`navigator.serviceWorker.getRegistration("/").then((made) => made.getNotifications())
    .then((all) => all.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) })))`);
  assert.deepEqual(shown, [{ title: "Autumn", body: "Two for one", actions: ["more"] }]);
});
