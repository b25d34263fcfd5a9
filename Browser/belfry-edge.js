// The browser
import { refuse, VERSION } from "./belfry-state.js";
import { openStore } from "./belfry-store.js";

function describeBrowser(appVersion) {
  const { userAgent, language } = navigator;
  const names = ["Edg", "OPR", "Firefox", "Chrome", "Version"];
  const [name, version] = names.map((key) => [key, userAgent.split(`${key}/`)[1]]).find(([, found]) => found) ?? [];
  return {
    platform: "web", osVersion: userAgent.split(/[()]/)[1]?.slice(0, 255),
    deviceModel: name && `${name === "Version" ? "Safari" : name} ${parseInt(version)}`,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: language.replaceAll("-", "_"),
    appVersion, sdkVersion: VERSION,
  };
}

export function browser({ appCode, serverURL, appVersion, worker }) {
  if (!globalThis.isSecureContext || !navigator.locks || !globalThis.indexedDB) {
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
    hasPush, worker,
    get system() { return describeBrowser(appVersion); },
    get permission() { return hasPush ? Notification.permission : undefined; },
    askPermission: () => (hasPush ? Notification.requestPermission() : undefined),
    load: (part) => import(`./belfry-${part}.js`),

    async send({ method, path, headers, body }) {
      try {
        const response = await fetch(serverURL + path, {
          method, headers, body, cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
          keepalive: (body?.length ?? 0) < 20_000, signal: AbortSignal.timeout(60_000),
        });
        return { status: response.status, header: (key) => response.headers.get(key), text: await response.text() };
      } catch (error) {
        return { message: `No response: ${error.name}` };
      }
    },
    timer(delay, act) {
      const id = setTimeout(act, delay);
      return () => clearTimeout(id);
    },
    channel(heard) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }) => heard(data);
      return { post: (message) => channel.postMessage(message), close: () => channel.close() };
    },

    async hasVisibleTab() {
      const { held } = await navigator.locks.query();
      return held.some((lock) => lock.name === `${name}-visible`);
    },
    lead(run, signal) {
      const hold = (leading) => navigator.locks.request(name, { signal: leading }, () => run(leading))
        .catch(() => leading.aborted || setTimeout(hold, 30_000, leading));
      let mine = new AbortController();
      hold(mine.signal);
      const leave = ({ persisted = true }) => persisted && mine.abort();
      const back = ({ persisted }) => {
        if (persisted && !signal.aborted) hold((mine = new AbortController()).signal);
      };
      addEventListener("pagehide", leave, { signal });
      addEventListener("pageshow", back, { signal });
      signal.addEventListener("abort", leave);
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
        happened(edge.isVisible() ? "visible" : "hidden");
      }, { signal });
      for (const event of ["online", "offline"]) addEventListener(event, () => happened(event), { signal });
      addEventListener("languagechange", () => happened("system"), { signal });
      signal.addEventListener("abort", () => release());
    },
  };
  return edge;
}
