// The calls (belfry.d.ts)
import { browser } from "./belfry-edge.js";
import { Engine, storing } from "./belfry-engine.js";
import * as rules from "./belfry-state.js";

export { BelfryError } from "./belfry-state.js";
const { invalid, readBrowser, show } = rules;

const NUMBERS = {
  uploads: { flushCount: 50, flushBytes: 65_536, flushAge: 1000, batchCount: 500, batchBytes: 1_000_000 },
  queue: { count: 10_000, bytes: 8_388_608, age: 30 * rules.DAY },
  centers: { interval: 300_000, retention: 15 * rules.DAY },
};
const EVENTS = ["report", "messages", "unreadCount", "push", "inApp", "inAppEvent", "inAppLink"];

const given = (options) => Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value != null));

function configure(options) {
  const config = { sessionTimeout: 30_000, inApp: true, ...given(options) };
  const check = (field, what, isFine) => isFine || invalid(field, what, "invalidConfiguration");
  const checkNumber = (number, field) => check(field, "a number from 0", Math.abs(number) === number);
  const { appCode, serverURL, worker, inApp } = config;
  check("appCode", "1 to 64 letters, digits, '-', '_' or '.'", appCode?.match?.(/^(?!\.\.?$)[\w.-]{1,64}$/));
  check("serverURL", "an http or https address", serverURL?.match?.(/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/));
  check("worker", "{ url } or { registration }", !worker || worker.url?.match || worker.registration);
  check("inApp", "true, false or { mayShow }", inApp === !!inApp || inApp.mayShow?.call);
  for (const key of ["appVersion", "contactField"]) check(key, "a string", (config[key] ?? "-").match?.(/\S/));
  checkNumber(config.sessionTimeout, "sessionTimeout");
  for (const [group, standard] of Object.entries(NUMBERS)) {
    config[group] = { ...standard, ...given(config[group]) };
    for (const key in standard) checkNumber(config[group][key], `${group}.${key}`);
  }
  config.serverURL = serverURL.replace(/\/$/, "");
  return config;
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

  static async start(options, makeEdge = browser) {
    const { afterErasure, ...config } = configure(options);
    const edge = makeEdge(config);
    const belfry = new Belfry(new Engine(config, edge, await storing(edge.open(), true)));
    await storing(belfry.#begin(afterErasure), true).catch(async (error) => {
      await belfry.stop();
      throw error;
    });
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
      rules.launch(s, { isAlone, afterErasure });
      readBrowser(s, edge);
    });
    if (edge.isVisible()) await this.#show();
    edge.listen((event) => this.#happened(event).catch(this.#failed), signal);
    edge.lead(async (leading) => (await this.#want("sync")).lead(engine, leading), signal);
    await this.#refresh();
    for (const part of ["edit", "openid", "privacy"]) this.#want(part);
  }

  #failed = ({ code, message }, type = "callFailed") => code === "stopped" || this.#engine.emit("report", { type, code, message });
  #want(part) { return this.#part(part).catch(this.#failed); }

  #happened(event) {
    if (event === "visible") return this.#show();
    return this.#engine.step((s) => {
      if (event === "hidden") rules.hide(s);
      if (event === "online") rules.returned(s.state);
      if (event === "languagechange") readBrowser(s, this.#engine.edge);
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
    const engine = this.#engine;
    const { parts, edge } = engine;
    if (!parts[name]) {
      parts[name] = await edge.load(name);
      engine.wake();
    }
    return parts[name];
  }

  async identify(who, options) {
    const { openIDToken, contactKey, contactField } = Object(who) === who ? who : { contactKey: who };
    const field = options?.contactField ?? contactField;
    const { contactField: standard } = this.#engine.config;
    let change;
    try {
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
          rules.link(state, key, named, standard, hadOtherField, now);
          return isOther;
        };
      }
    } catch (error) {
      if (!(error instanceof rules.BelfryError)) throw error;
      this.#failed(error, "editRefused");
      return refused(error);
    }
    return this.#contact((s) => rules.changeContact(s, change));
  }

  async #contact(change) {
    const engine = this.#engine;
    const refusal = await engine.step(change);
    try {
      await this.#refresh();
      if ((await engine.read()).state.push.isStale) await (await this.#want("push"))?.leave(engine.edge);
    } catch (error) {
      // It is stored.
      this.#failed(error);
    }
    return refusal ? refused(refusal) : { accepted: true };
  }

  async logout() { await this.#contact(rules.logout); }

  async edit(body) {
    const { makeEdit } = await this.#part("edit");
    const { change, output } = makeEdit(body);
    await this.#contact(change);
    return output();
  }

  async #record(type, name, attributes, more) {
    const fields = Object.assign(rules.fieldsOf(attributes, "invalidEvent", `Event '${rules.eventName(name)}': `), more);
    await this.#engine.step((s) => rules.track(s, type, name, fields));
  }
  track(name, attributes) { return this.#record("custom", name, attributes); }
  async trackScreen(name, attributes) { return this.#record("internal", "screen", attributes, { name: rules.eventName(name) }); }

  async requestPushPermission() {
    // First: the gesture.
    const engine = this.#engine;
    await engine.edge.askPermission();
    await engine.step((s) => {
      readBrowser(s, engine.edge);
      s.isNews = true;
    });
    await this.#refresh().catch(this.#failed);
    return this.pushState;
  }

  get pushState() {
    const { hasPush, permission } = this.#engine.edge;
    return !hasPush ? "unsupported" : permission === "granted" && this.#isSubscribed ? "subscribed" : permission;
  }

  get unreadCount() { return this.#unread; }
  on(event, listener) {
    if (!EVENTS.includes(event)) invalid("event", `one of ${EVENTS}`);
    if (typeof listener !== "function") invalid("listener", "a function");
    return this.#engine.on(event, listener);
  }

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
    await engine.parts.sync?.idle(engine);
  }

  async stop() {
    const engine = this.#engine;
    this.#stopped.abort();
    for (const part of Object.values(engine.parts)) part.stopped?.(engine);
    await engine.stop();
  }
}

const refused = ({ code, message }) => ({ accepted: false, code, message });
