// Pushes without a page
import { openStore, within } from "./belfry-store.js";

let app;
let opened;
const waiting = new Map();
const tell = (message) => new BroadcastChannel(`belfry-${app}`).postMessage(message);

async function attempt(change) {
  let taken;
  const output = await (await (opened ??= openStore(app))).step((s) => {
    taken = [...waiting];
    if (!s.state) return;
    for (const [, row] of taken) keep(s, row);
    return change(s);
  });
  for (const [id] of taken) waiting.delete(id);
  return output;
}

const step = (change, most = 5000) => within(most, attempt(change)).catch((error) => {
  opened = null;
  tell({ reports: [{ type: "storageFailed", code: "storageUnavailable", message: `${error}` }] });
});

const acts = {
  push: show, notificationclick: follow, pushsubscriptionchange: renew,
  notificationclose: (push) => report(push, "push:dismiss"),
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
    if (type !== "pushsubscriptionchange" && !push.belfry.sid.trim()) return false;
  } catch {
    return false;
  }
  event.waitUntil(acts[type](push, event));
  return true;
}

async function show({ notification, belfry, data }) {
  if (await report({ belfry }, "push:received")) return;
  if (notification) {
    const { title, subtitle, body, image, tag, actions } = notification;
    const least = {
      body: subtitle ? `${subtitle}\n${body}` : body, tag, data: { belfry, data, late: waiting.size && Date.now() },
    };
    const showWith = (more) => registration.showNotification(title ?? location.host, { ...least, ...more });
    await showWith({ image, actions }).catch(() => showWith());
  }
  const { count, revision } = belfry.badge ?? {};
  if (count >= 0 && !(await step(({ state }) => revision < state.badge.revision).catch(() => {}))) await navigator.setAppBadge?.(count).catch(() => {});
  return notification ? report({ belfry }, "push:displayed") : send();
}

async function follow(push, { action, notification }) {
  const { belfry, data } = push;
  notification.close();
  const button = [belfry.buttons].flat().find((other) => other?.id === action);
  const { type, url } = (button ?? belfry).action ?? {};
  const isOthers = await step(({ state }) => isFormer(state, belfry), 500);
  const address = !isOthers && type !== "launchApp" && url;
  await focus(address).catch(() => focus()).catch(() => {});
  if (isOthers) return;
  tell({ event: ["push", { campaign: belfry.campaign, buttonId: button?.id, url: address || undefined, data }] });
  await report(push, "push:click", { origin: button ? "button" : "main", button_id: button?.id });
}

async function focus(address) {
  const { href: url, origin } = new URL(address || "/", registration.scope);
  const tabs = (includeUncontrolled) => clients.matchAll({ type: "window", includeUncontrolled });
  const there = (await tabs(true)).find((other) => !address || other.url === url);
  const tab = there ?? (origin === location.origin && (await tabs())[0]);
  if (!tab) return clients.openWindow(url);
  await tab.focus();
  return there ?? tab.navigate(url);
}

async function renew(push, { oldSubscription }) {
  const applicationServerKey = (await step(({ state }) => state.push.key)) ?? oldSubscription?.options.applicationServerKey;
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  await step(({ state }) => { state.record.pushToken = JSON.stringify(made); });
  await send();
}

function isFormer({ rest, tags, push }, { to }) {
  const isOthers = !!rest || (tags.former.includes(to) && !tags.present.includes(to));
  push.isStale ||= isOthers;
  return isOthers;
}

function keep({ state, append }, { event, at, belfry }) {
  if (isFormer(state, belfry)) return;
  if (belfry.badge?.revision > state.badge.revision) state.badge = belfry.badge;
  if (event.name === "push:received" && [belfry.sync].flat().includes("messageCenter") && state.centers.isEnabled) state.centers.marks += 1;
  if (state.isTracking) append.push({ event, at, size: JSON.stringify(event).length, owner: state.link.owner });
}

async function report({ belfry, late }, name, attributes) {
  const { sid } = belfry;
  const add = (name, at, attributes) => {
    const id = `${name}:${sid}`.slice(0, 64);
    const event = { id, type: "internal", name, timestamp: new Date(at).toISOString(), attributes: { sid, ...attributes } };
    if (waiting.size < 100) waiting.set(id, { event, at, belfry });
  };
  if (late) {
    add("push:received", late);
    add("push:displayed", late);
  }
  add(name, Date.now(), attributes);
  const isOthers = await step(({ state }) => isFormer(state, belfry));
  if (!isOthers && name !== "push:received") await send();
  return isOthers;
}

const send = () => navigator.locks.request(`belfry-${app}`, { ifAvailable: true }, async (lock) => {
  if (!lock) return tell({ isWork: true });
  for (let left = 9; left && await within(60_000, sendOnce()).catch(() => {});) left -= 1;
});

async function sendOnce() {
  const call = await step(({ state, rows }) => {
    const { id, gates, record: { pushToken, osPushEnabled }, push, rest, clientState } = state;
    const { tokens, pending, isExpired, references } = state.link;
    if (!tokens || pending.length || rest) return;
    const now = Date.now();
    const events = rows.map(({ event, owner }) => ({ ...event, contact: references[owner] }));
    const calls = isExpired ? [["refresh", "contact-token", { refreshToken: tokens.refreshToken }]] : [
      ["pushToken", "push-token", osPushEnabled && pushToken && pushToken !== push.accepted && { pushToken, provider: "webpush" }],
      ["uploads", "events", events[0] && events.every(({ contact }) => contact) && { dnd: true, events }],
    ];
    const [gate, path, body] = calls.find(([name, , made]) => made && !(Math.abs(now - gates[name]?.since) < gates[name]?.delay)) ?? [];
    if (!body) return;
    state.order = Math.max(state.order + 1, now);
    const headers = {
      "Content-Type": "application/json", "X-Client-Id": id, "X-Client-Time": now, "X-Request-Order": state.order, "X-Client-State": clientState,
      ...(!isExpired && { "X-Contact-Token": tokens.contactToken }),
    };
    return { id, gate, url: `${state.serverURL}/v3/apps/${app}/client/${path}`, headers, body };
  });
  if (!call) return;
  const { id, gate, url, headers, body } = call;
  const response = await fetch(url, { method: body.pushToken ? "PUT" : "POST", headers, body: JSON.stringify(body), credentials: "omit", redirect: "error" });
  const said = await response.json().catch(() => {});
  const token = said?.contactToken;
  return step((s) => {
    const { link, gates, push } = s.state;
    const clientState = response.headers.get("X-Client-State");
    if (!clientState || s.state.id !== id) return;
    s.state.clientState = clientState;
    if (/^[!-~]+$/.test(token) && token?.trim) {
      link.tokens.contactToken = token;
      link.isExpired = false;
    } else if (response.ok && body.events) {
      s.isGone = ({ event: { id } }) => body.events.some((event) => event.id === id);
      s.queue.setAside += said?.rejected?.length || 0;
    } else if (response.ok && body.pushToken) push.accepted = body.pushToken;
    else if (response.status === 401 && !link.isExpired) link.isExpired = true;
    else gates[gate] = { failures: 1, since: Date.now(), delay: 60_000, asked: 0 };
    return true;
  });
}
