// What a test asks of a page with the SDK.
const until = async (condition) => {
  for (;;) {
    const found = await condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** What the SDK keeps about pushes, after a change. */
const kept = (change = () => {}) => new Promise((resolve) => {
  indexedDB.open("belfry-shop").onsuccess = ({ target: { result: db } }) => {
    const store = db.transaction("kept", "readwrite").objectStore("kept");
    store.get("state").onsuccess = ({ target: { result: state } }) => {
      change(state.push);
      store.put(state, "state").onsuccess = () => {
        db.close();
        resolve(state.push);
      };
    };
  };
});

window.site = {
  async subscribe() {
    const belfry = await until(() => window.belfry);
    await belfry.requestPushPermission();
    await until(() => belfry.pushState === "subscribed");
    await belfry.flush();
    const { pushManager } = await navigator.serviceWorker.ready;
    return { device: (await belfry.state()).deviceId, endpoint: (await pushManager.getSubscription()).endpoint };
  },
  async endpoint() {
    const belfry = await until(() => window.belfry);
    await belfry.flush();
    const { pushManager } = await navigator.serviceWorker.ready;
    return (await pushManager.getSubscription())?.endpoint ?? null;
  },
  /** As if the SDK had asked for the key a day ago. */
  dayPasses: () => kept((push) => { push.keyAt -= 86_400_000; }),
  async setPushEnabled(isEnabled) {
    const belfry = await until(() => window.belfry);
    await belfry.edit((record) => record.setPushEnabled(isEnabled));
    await belfry.flush();
  },
  async unsubscribe() {
    // The SDK looks after each page load whether the subscription is there; what goes later it finds at the next one.
    await until(() => window.belfry);
    await until(async () => (await kept()).checkedAt > performance.timeOrigin);
    const { pushManager } = await navigator.serviceWorker.ready;
    return (await pushManager.getSubscription()).unsubscribe();
  },
};
