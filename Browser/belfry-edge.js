// The browser
import { refuse, VERSION } from "./belfry-state.js";
import { openStore } from "./belfry-store.js";

export function browser({ appCode, serverURL, appVersion, worker }) {
  if (!isSecureContext || !navigator.locks || !globalThis.indexedDB) {
    refuse("unsupported", "The SDK needs a page over https and a browser of 2022 or later.");
  }
  const name = `belfry-${appCode}`;
  const hasPush = worker && navigator.serviceWorker && globalThis.PushManager && globalThis.Notification;
  const edge = {
    now: Date.now,
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    open: () => openStore(appCode),
    isOnline: () => navigator.onLine,
    isVisible: () => document.visibilityState === "visible",
    hasPush, worker, performance,
    get system() {
      const { userAgent, language } = navigator;
      const names = ["Edg", "OPR", "Firefox", "Chrome", "Version"];
      const [name, version] = names.map((name) => [name, userAgent.split(`${name}/`)[1]]).find(([, found]) => found) ?? [];
      return {
        platform: "web", osVersion: userAgent.split(/[()]/)[1]?.slice(0, 255),
        deviceModel: name && `${name === "Version" ? "Safari" : name} ${parseInt(version)}`,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: language.replaceAll("-", "_"),
        appVersion, sdkVersion: VERSION,
      };
    },
    get permission() { return hasPush && Notification.permission; },
    askPermission: () => hasPush && Notification.requestPermission(),
    load: (part) => import(`./belfry-${part}.js`),

    async send({ method, path, headers, body }) {
      try {
        const response = await fetch(serverURL + path, {
          method, headers, body, cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
          keepalive: (body?.length ?? 0) < 20_000, signal: AbortSignal.timeout(60_000),
        });
        return { status: response.status, header: (key) => response.headers.get(key), text: await response.text() };
      } catch ({ name }) {
        return { message: `No response: ${name}` };
      }
    },
    timer(delay, act) {
      const id = setTimeout(act, delay);
      return () => clearTimeout(id);
    },
    channel(heard) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }) => heard(data);
      return { post: (data) => channel.postMessage(data), close: () => channel.close() };
    },

    async hasVisibleTab(leads) {
      const { held } = await navigator.locks.query();
      const leader = leads && held.find((lock) => lock.name === name);
      return held.some((lock) => lock.name === `${name}-visible` && (!leader || lock.clientId === leader.clientId));
    },
    lead(run, signal) {
      let mine = new AbortController();
      const hold = (steal) => {
        mine.abort();
        const own = mine = new AbortController();
        signal.aborted || navigator.locks.request(name, steal ? { steal } : own, () => run(own.signal))
          .catch(() => own.signal.aborted || setTimeout(hold, 30_000, own.abort()));
      };
      hold();
      // iOS suspends hidden tabs.
      const timer = setInterval(async () => edge.isVisible() && !await edge.hasVisibleTab(true) && hold(true), 10_000);
      addEventListener("pagehide", ({ persisted }) => persisted && mine.abort(), { signal });
      addEventListener("pageshow", ({ persisted }) => persisted && hold(), { signal });
      signal.addEventListener("abort", () => hold(clearInterval(timer)));
    },
    listen(happened, signal) {
      let release = () => {};
      const stand = () => {
        release();
        navigator.locks.request(`${name}-visible`, { mode: "shared" }, () => edge.isVisible() && !signal.aborted && new Promise((resolve) => {
          release();
          release = resolve;
        }));
      };
      stand();
      document.addEventListener("visibilitychange", () => {
        stand();
        happened(document.visibilityState);
      }, { signal });
      for (const event of ["online", "offline", "languagechange"]) addEventListener(event, () => happened(event), { signal });
      signal.addEventListener("abort", stand);
    },
  };
  return edge;
}
