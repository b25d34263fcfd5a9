// Shows a push, reports it, and opens its page: as little as a test of pushes needs.
importScripts("/settings-worker.js");

const device = async () => (await (await caches.open("device")).match("/device")).json();

async function report(name, sid) {
  const { id, state, token } = await device();
  const response = await fetch(`${SERVER}/v3/apps/${APP}/client/events`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json", "X-Client-Id": id, "X-Client-State": state, "X-Contact-Token": token,
      "X-Request-Order": String(Date.now()),
    },
    body: JSON.stringify({
      events: [{ id: `${name}-${sid}`, type: "internal", name, timestamp: new Date().toISOString(), attributes: { sid } }],
    }),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const { notification, belfry } = event.data.json();
  event.waitUntil((async () => {
    await self.registration.showNotification(notification.title, {
      body: notification.body, tag: notification.tag, data: { sid: belfry.sid, navigate: notification.navigate },
    });
    await report("push:received", belfry.sid);
    await report("push:displayed", belfry.sid);
  })());
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { sid, navigate } = event.notification.data;
  event.waitUntil(Promise.all([self.clients.openWindow(navigate), report("push:click", sid)]));
});
