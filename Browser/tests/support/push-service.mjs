// A push service for pages and workers of a Chromium that reaches none: its subscriptions are kept in the site's caches.
export const PUSH_SERVICE = `
const place = async () => caches.open("push-service");
const kept = async () => (await (await place()).match("/subscription"))?.json();
const keep = async (subscription) => (subscription
  ? (await place()).put("/subscription", new Response(JSON.stringify(subscription))) : (await place()).delete("/subscription"));
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0)).buffer;
const handOut = (found) => found && {
  options: { applicationServerKey: bytes(found.key) }, unsubscribe: () => keep(null),
  toJSON: () => ({ endpoint: found.endpoint, expirationTime: null, keys: { p256dh: found.key, auth: "c2VjcmV0LW9mLTE2LWI" } }),
};
PushManager.prototype.getSubscription = async () => handOut(await kept()) ?? null;
PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
  const found = await kept();
  if (found && found.key !== key) throw new DOMException("Another key.", "InvalidStateError");
  if (!found) await keep({ key, endpoint: "https://push.example/" + crypto.randomUUID() });
  return handOut(await kept());
};
globalThis.drop = () => keep(null);
`;

export const KEYS = [
  "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
  "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
];
