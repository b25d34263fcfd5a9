// A web page that speaks the device API by itself, as little as a test of pushes needs.
import { SERVER, APP } from "/settings.js";

const BASE = `${SERVER}/v3/apps/${APP}/client`;
const worker = navigator.serviceWorker.register("/worker.js");

async function kept() {
  const response = await (await caches.open("device")).match("/device");
  return response ? response.json() : { id: crypto.randomUUID() };
}

const keep = async (device) => (await caches.open("device")).put("/device", new Response(JSON.stringify(device)));

async function call(device, method, path, body) {
  const headers = { "X-Client-Id": device.id, "X-Request-Order": String(Date.now()) };
  if (device.state) headers["X-Client-State"] = device.state;
  if (device.token) headers["X-Contact-Token"] = device.token;
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(BASE + path, { method, headers, body: body && JSON.stringify(body) });
  device.state = response.headers.get("X-Client-State") ?? device.state;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 200 ? response.json() : null;
}

window.site = {
  async subscribe() {
    const device = await kept();
    await call(device, "POST", "", { platform: "web" });
    device.token = (await call(device, "POST", "/contact?anonymous")).contactToken;
    const { publicKey } = await call(device, "GET", "/web-push-key");
    await worker;
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
    await call(device, "PUT", "/push-token", { pushToken: JSON.stringify(subscription), provider: "webpush" });
    await keep(device);
    return { device: device.id, endpoint: subscription.endpoint };
  },
  async unsubscribe() {
    const { pushManager } = await navigator.serviceWorker.ready;
    return (await pushManager.getSubscription()).unsubscribe();
  },
};
