// The Belfry SDK for websites; `belfry.d.ts` describes its calls.
import { browser } from "./belfry-edge.js";
import { Engine, storing } from "./belfry-engine.js";
import * as rules from "./belfry-state.js";

export { BelfryError } from "./belfry-state.js";
const { BelfryError, changeContact, hide, launch, link, logout, readBrowser, show } = rules;

const DEFAULTS = {
  sessionTimeout: 30_000, inApp: true, worker: null,
  uploads: { flushCount: 50, flushBytes: 65_536, flushAge: 1000, batchCount: 500, batchBytes: 1_000_000 },
  queue: { count: 10_000, bytes: 8_388_608, age: 30 * rules.DAY },
  centers: { interval: 300_000, retention: 15 * rules.DAY },
};

function configure(options) {
  const config = { ...DEFAULTS, ...options };
  const isText = (text, form) => typeof text === "string" && form.test(text);
  for (const key of ["uploads", "queue", "centers"]) config[key] = { ...DEFAULTS[key], ...options[key] };
  const invalid = (field, message) => { throw new BelfryError("invalidConfiguration", message, field); };
  if (!isText(config.appCode, /^(?!\.\.?$)[\w.-]{1,64}$/)) invalid("appCode", "It has 1 to 64 letters, digits, '-', '_' or '.'.");
  if (!isText(config.serverURL, /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/)) invalid("serverURL", "It is an http or https address.");
  return { ...config, serverURL: config.serverURL.replace(/\/$/, "") };
}

export class Belfry {
  #engine;
  #stopped = new AbortController();
  #isStart = true;
  #unread = 0;
  #isSubscribed = false;

  constructor(engine) {
    this.#engine = engine;
    engine.client = this;
  }

  static async start(given, makeEdge = browser) {
    const { afterErasure, ...options } = given ?? {};
    const config = configure(options);
    const edge = makeEdge(config);
    const belfry = new Belfry(new Engine(config, edge, await storing(edge.open())));
    await belfry.#begin(afterErasure);
    return belfry;
  }

  async #begin(afterErasure) {
    const engine = this.#engine;
    const { edge } = engine;
    const { signal } = this.#stopped;
    engine.on("news", () => this.#refresh().catch(this.#failed));
    const { flaw: message } = engine.store;
    if (message) engine.emit("report", { type: "storageSetAside", message });
    const isAlone = !(await edge.hasVisibleTab());
    await engine.step((s) => {
      launch(s, { isAlone, afterErasure });
      readBrowser(s, edge);
    });
    if (edge.isVisible()) await this.#show();
    edge.listen((event) => this.#happened(event).catch(this.#failed), signal);
    edge.lead(async (leading) => (await this.#part("sync")).lead(engine, leading), signal);
    await this.#refresh();
    for (const part of ["edit", "openid", "privacy"]) this.#want(part);
  }

  #failed = ({ code, message }) => this.#engine.emit("report", { type: "callFailed", code, message });
  #want(part) { return this.#part(part).catch(this.#failed); }

  #happened(event) {
    if (event === "visible") return this.#show();
    return this.#engine.step((s) => {
      if (event === "hidden") hide(s);
      if (event === "online") rules.returned(s.state);
      if (event === "system") readBrowser(s, this.#engine.edge);
    });
  }

  async #show() {
    const isStart = this.#isStart;
    this.#isStart = false;
    await this.#engine.step((s) => {
      readBrowser(s, this.#engine.edge);
      show(s, isStart);
    });
    await this.#refresh();
  }

  async #refresh() {
    const engine = this.#engine;
    const { state, messages, now } = await engine.read();
    this.#isSubscribed = state.record.pushToken != null;
    const { config, edge, parts } = engine;
    // Another tab went.
    if (edge.isVisible() && state.appState !== "foreground" && !state.rest) {
      await engine.step((s) => {
        s.state.appState = "foreground";
        show(s);
      });
    }
    if (state.centers.isEnabled) await this.#want("messages");
    if (edge.hasPush && (state.record.osPushEnabled || state.push.isStale)) await this.#want("push");
    if ((state.inApp.due || state.inApp.actions) && edge.isVisible()) await this.#want("inapp");
    const unread = parts.messages?.unreadCount(messages, now, config.centers) ?? 0;
    if (unread !== this.#unread) {
      this.#unread = unread;
      engine.emit("unreadCount", unread);
    }
    for (const part of Object.values(parts)) part.refreshed?.(engine, state, messages);
  }

  async #part(name) {
    const { parts, edge } = this.#engine;
    if (!parts[name]) {
      parts[name] = await edge.load(name);
      this.#engine.wake();
    }
    return parts[name];
  }

  async identify(who, { contactField } = {}) {
    const engine = this.#engine;
    const { openIDToken, contactKey, ...other } = who !== null && typeof who === "object" ? who : { contactKey: who };
    const field = contactField ?? other.contactField;
    try {
      const standard = engine.config.contactField;
      let change;
      if (openIDToken !== undefined) {
        const { readToken, prove } = await this.#part("openid");
        const proof = readToken(openIDToken);
        change = (state, now) => prove(state, proof, now);
      } else {
        const key = rules.contactKey(contactKey);
        const named = field == null ? undefined : rules.word(field, "A contact field", 255);
        change = (state, now) => {
          const hadOtherField = rules.isOtherField(state.record, named, standard);
          const isOther = rules.nameContact(state.record, key, named, standard, state.link.subject != null);
          if (isOther) state.link.person += 1;
          link(state, key, named, standard, hadOtherField, now);
          return isOther;
        };
      }
      return await this.#contact((s) => changeContact(s, change));
    } catch (error) {
      if (!(error instanceof BelfryError) || error.code === "storageUnavailable") throw error;
      engine.emit("report", { type: "editRefused", code: error.code, message: error.message });
      return refused(error);
    }
  }

  /** What is shown of a person who has left is gone when it returns (ID-4). */
  async #contact(change) {
    const engine = this.#engine;
    const refusal = await engine.step(change);
    await this.#refresh();
    if ((await engine.read()).state.push.isStale) await (await this.#want("push"))?.leave(engine.edge);
    return refusal ? refused(refusal) : { accepted: true };
  }

  logout() { return this.#contact(logout).then(() => undefined); }

  async edit(body) {
    const { makeEdit } = await this.#part("edit");
    const { change, output } = makeEdit(body);
    await this.#contact(change);
    return output();
  }

  track(name, attributes) { return this.#engine.step((s) => s.track("custom", name, attributes)); }
  trackScreen(name, attributes) { return this.#engine.step((s) => s.track("internal", "screen", { ...attributes, name })); }

  async requestPushPermission() {
    // First, within the gesture.
    await this.#engine.edge.askPermission();
    await this.#engine.step((s) => {
      readBrowser(s, this.#engine.edge);
      s.isNews = true;
    });
    await this.#refresh();
    return this.pushState;
  }

  get pushState() {
    const { hasPush, permission } = this.#engine.edge;
    if (!hasPush) return "unsupported";
    return permission === "granted" && this.#isSubscribed ? "subscribed" : permission;
  }

  get unreadCount() { return this.#unread; }
  on(event, listener) { return this.#engine.on(event, listener); }

  async #call(part, name, ...values) { return (await this.#part(part))[name](this.#engine, ...values); }
  setMessageCenterEnabled(isEnabled) { return this.#call("messages", "enable", isEnabled); }
  messages(center = "Primary") { return this.#call("messages", "list", center); }
  markRead(id) { return this.#call("messages", "mark", id, "read"); }
  deleteMessage(id) { return this.#call("messages", "mark", id, "deleted"); }
  refreshMessages() { return this.#call("messages", "refresh"); }
  pauseInApp(isPaused) { return this.#call("inapp", "pause", isPaused); }
  showInline(element, viewId) { return this.#call("inapp", "showInline", element, viewId); }
  record() { return this.#call("support", "record"); }
  state() { return this.#call("support", "describe", this.pushState); }
  setTrackingEnabled(isEnabled) { return this.#call("privacy", "setTracking", isEnabled); }
  async wipe() {
    const { wipe } = await this.#part("privacy");
    await this.#contact((s) => wipe(s, "wiped"));
  }

  async flush() {
    const engine = this.#engine;
    engine.isHurried = true;
    await engine.step((s) => { s.state.uploads.isFlushing = true; });
    await engine.idle();
  }

  async stop() {
    this.#stopped.abort();
    this.#engine.channel.close();
    this.#engine.store.close();
  }
}

const refused = ({ code, message }) => ({ accepted: false, code, message });
