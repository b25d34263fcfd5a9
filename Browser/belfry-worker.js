// Pushes without a page (WEB-4).
import { openStore } from "./belfry-store.js";

let app;
let opened;
const open = () => (opened ??= openStore(app, () => null));
const step = async (change) => (await open()).step((s) => (s.state ? change(s) : undefined));
const tell = (message) => new BroadcastChannel(`belfry-${app}`).postMessage(message);

const acts = {
  push: show, notificationclick: follow, pushsubscriptionchange: renew,
  notificationclose: ({ belfry }) => report(belfry, "push:dismiss"),
};

export function attach(appCode) {
  for (const type in acts) addEventListener(type, (event) => handle(event, appCode));
}

export function handle(event, appCode) {
  app = appCode;
  const { type, notification } = event;
  let push = notification?.data;
  try {
    if (type === "push") push = event.data?.json() ?? { notification, ...push };
  } catch {
    return false;
  }
  const isOurs = type === "pushsubscriptionchange" || !!push?.belfry?.sid;
  if (isOurs) event.waitUntil(acts[type](push, event));
  return isOurs;
}

async function show({ notification, belfry, data }) {
  if (await report(belfry, "push:received")) return;
  const count = belfry.badge?.count;
  if (count >= 0) await navigator.setAppBadge?.(count);
  if (!notification) return send();
  const { title, subtitle, body, image, tag, actions } = notification;
  const text = subtitle ? `${subtitle}\n${body}` : body;
  await registration.showNotification(title, { body: text, image, tag, actions, data: { belfry, data } });
  await report(belfry, "push:displayed");
}

async function follow({ belfry, data }, { action: id, notification }) {
  notification.close();
  const button = belfry.buttons?.find((other) => other.id === id);
  const { type, url } = (button ?? belfry).action ?? {};
  const isOthers = await step(({ state }) => isFormer(state, belfry));
  const address = !isOthers && type !== "launchApp" && url;
  await focus(new URL(address || "/", registration.scope).href, address).catch(() => {});
  if (isOthers) return;
  tell({ event: ["push", { campaign: belfry.campaign, buttonId: button?.id, url: address || undefined, data }] });
  await report(belfry, "push:click", button ? { origin: "button", button_id: id } : { origin: "main" });
}

async function focus(url, isNeeded) {
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find((other) => other.url === url) ?? (url.startsWith(location.origin + "/") ? tabs[0] : undefined);
  if (!tab) return clients.openWindow(url);
  await tab.focus();
  if (isNeeded && tab.url !== url) await tab.navigate(url).catch(() => clients.openWindow(url));
}

async function renew() {
  const applicationServerKey = await step(({ state }) => state.push.key);
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  await step(({ state }) => { state.record.pushToken = JSON.stringify(made); });
  await send();
}

const isFormer = ({ rest, tags, push }, { to }) => {
  const isOthers = rest != null || (tags.former.includes(to) && !tags.present.includes(to));
  push.isStale ||= isOthers;
  return isOthers;
};

async function report(belfry, name, attributes) {
  const isOthers = await step(({ state, append }) => {
    const { sid, badge, sync } = belfry;
    if (isFormer(state, belfry)) return true;
    if (badge?.revision > state.badge.revision) state.badge = badge;
    if (name === "push:received" && sync?.includes("messageCenter") && state.centers.isEnabled) state.centers.marks += 1;
    const [at, id] = [Date.now(), `${name}:${sid}`.slice(0, 64)];
    const event = { id, type: "internal", name, timestamp: new Date(at).toISOString(), attributes: { sid, ...attributes } };
    if (state.isTracking) append.push({ event, at, size: JSON.stringify(event).length, owner: state.link.owner });
  });
  if (!isOthers && name !== "push:received") await send();
  return isOthers;
}

const send = () => navigator.locks.request(`belfry-${app}`, { ifAvailable: true }, async (lock) => {
  if (!lock) return tell({ isWork: true });
  for (let left = 9; left && await sendOnce(await open()).catch(() => false);) left -= 1;
});

async function sendOnce(store) {
  const rows = await store.events(100);
  let call;
  await store.step(({ state }) => {
    const { id, link, gates, record, push, rest, clientState } = state ?? {};
    const { tokens, pending, isExpired, references } = link ?? {};
    if (!tokens || pending.length || rest) return;
    const { pushToken } = record;
    const now = Date.now();
    const events = rows.map(({ event, owner }) => ({ ...event, contact: references[owner] }));
    const calls = [
      ["refresh", "contact-token", isExpired && { refreshToken: tokens.refreshToken }],
      ["pushToken", "push-token", record.osPushEnabled && pushToken && pushToken !== push.accepted && { pushToken, provider: "webpush" }],
      ["uploads", "events", events[0] && events.every(({ contact }) => contact) && { dnd: true, events }],
    ];
    const [gate, path, body] = calls.find(([name, , made], place) => made && !(isExpired && place) && !(gates[name]?.since + gates[name]?.delay > now)) ?? [];
    if (!body) return;
    const headers = { "Content-Type": "application/json", "X-Client-Id": id, "X-Client-Time": String(now) };
    headers["X-Request-Order"] = String((state.order = Math.max(state.order + 1, now)));
    if (clientState) headers["X-Client-State"] = clientState;
    if (!isExpired) headers["X-Contact-Token"] = tokens.contactToken;
    call = { id, gate, url: `${state.serverURL}/v3/apps/${app}/client/${path}`, headers, body };
  });
  if (!call) return;
  const { id, gate, url, headers, body } = call;
  const response = await fetch(url, { method: body.pushToken ? "PUT" : "POST", headers, body: JSON.stringify(body), credentials: "omit" });
  const { contactToken, rejected = [] } = await response.json().catch(() => ({}));
  return store.step((s) => {
    const { link, gates, push } = s.state;
    const clientState = response.headers.get("X-Client-State");
    if (!clientState || s.state.id !== id) return;
    s.state.clientState = clientState;
    if (contactToken) {
      link.tokens.contactToken = contactToken;
      link.isExpired = false;
    } else if (response.ok && body.events) {
      s.settled = { first: rows[0].key, last: rows.at(-1).key };
      s.queue.setAside += rejected.length;
    } else if (response.ok && body.pushToken) push.accepted = body.pushToken;
    else if (response.status === 401 && !link.isExpired) link.isExpired = true;
    else gates[gate] = { failures: 1, since: Date.now(), delay: 60_000, asked: 0 };
    return true;
  });
}
