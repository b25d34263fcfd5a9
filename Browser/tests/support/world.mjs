// A world without real time: a clock with timers, a network, a server that a scenario scripts, and the browser's edge.
import { VERSION } from "../../belfry-state.js";
import { InAppCampaigns } from "./in-app-campaigns.mjs";
import { MemoryStore } from "./memory-store.mjs";
import { Screen } from "./screen.mjs";
import * as edit from "../../belfry-edit.js";
import * as openid from "../../belfry-openid.js";
import * as sync from "../../belfry-sync.js";
import * as privacy from "../../belfry-privacy.js";
import * as support from "../../belfry-support.js";
import * as messages from "../../belfry-messages.js";

const BEGIN = Date.parse("2026-01-05T00:00:00Z");
const PARTS = { edit, messages, openid, privacy, support, sync };
let processes = 0;
const turn = () => new Promise((resolve) => setImmediate(resolve));

export class World {
  passed = 0;
  #deviceOffset = 0;
  #serverOffset = 0;
  isOnline = true;
  isVisible = false;
  device = { timeZone: "Europe/Paris", locale: "en_GB" };
  requests = [];
  stored = [];
  answers = [];
  messages = [];
  /** What was said to other tabs. */
  told = [];
  badge = { count: 0, revision: 0 };
  inApp = new InAppCampaigns();
  screen = new Screen();
  store = new MemoryStore();
  #timers = new Set();
  #happened = () => {};
  #process = null;
  #counts = { responses: 0, tokens: 0, ids: 0 };
  #activity = 0;
  #hanging = [];
  #loads = new Set();

  now() { return BEGIN + this.passed + this.#deviceOffset; }
  serverNow() { return BEGIN + this.passed + this.#serverOffset; }
  setClock(by) { this.#deviceOffset += by; }
  setServerClock(offset) { this.#serverOffset = offset; }

  uuid() {
    this.#counts.ids += 1;
    return `00000000-0000-4000-8000-${String(this.#counts.ids).padStart(12, "0")}`;
  }

  /** Until nothing happens any more but timers. */
  async settle() {
    for (let quiet = 0, last = -1; quiet < 8; ) {
      await turn();
      quiet = last === this.#activity ? quiet + 1 : 0;
      last = this.#activity;
      await Promise.all(this.#loads);
    }
  }

  async pass(duration) {
    // Time passes for a device that has done what it can: what is under way has set its timers.
    await this.settle();
    const end = this.passed + duration;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.passed = Math.max(this.passed, next.at);
      this.#timers.delete(next);
      next.act();
      await this.settle();
    }
    this.passed = end;
    await this.settle();
  }

  /** What hangs is answered now. */
  respond() { for (const answer of this.#hanging.splice(0)) answer(); }

  happen(event) { this.#happened(event); }

  kill() {
    if (this.#process) this.#process.isDead = true;
    this.#process = null;
    this.#hanging = [];
    this.#timers.clear();
    this.#happened = () => {};
    this.screen.clear();
  }

  /** What one page has of this world. */
  edge() {
    const world = this;
    processes += 1;
    const process = { isDead: false, number: processes };
    this.#process = process;
    this.screen.install();
    const alive = (value) => (process.isDead ? new Promise(() => {}) : value);
    // What is closed says so, as a browser's own does.
    const closing = (act) => {
      let isClosed = false;
      const acting = (...values) => {
        if (isClosed) throw new DOMException("It is closed.", "InvalidStateError");
        return act(...values);
      };
      return [acting, () => { isClosed = true; }];
    };
    const [step, close] = closing(async (change, count) => {
      await alive();
      world.#activity += 1;
      return alive(await world.store.step(change, count));
    });
    const [post, closeChannel] = closing((message) => { world.told.push(structuredClone(message)); });
    return {
      now: () => world.now(),
      performance: { now: () => world.passed },
      random: () => 0.5,
      uuid: () => world.uuid(),
      open: async () => ({ step: async (...given) => step(...given), close }),
      isOnline: () => world.isOnline,
      isVisible: () => world.isVisible,
      hasPush: false,
      get system() { return { platform: "web", sdkVersion: VERSION, ...world.device }; },
      permission: undefined,
      askPermission() {},
      load: (part) => PARTS[part] ?? world.#load(part, process.number),
      async send(request) {
        await alive();
        return alive(await world.#receive(request, process));
      },
      timer(delay, act) {
        const timer = { at: world.passed + delay, act };
        world.#timers.add(timer);
        return () => world.#timers.delete(timer);
      },
      channel: () => ({ post, close: closeChannel }),
      hasVisibleTab: async () => false,
      // A tab that cannot load what it needs to lead does not lead.
      lead(run, signal) { run(signal).catch(() => {}); },
      listen(happened) { world.#happened = happened; },
    };
  }

  /** A process begins with modules of its own: this one keeps what is on the screen. */
  #load(part, number) {
    const loading = import(`../../belfry-${part}.js?process=${number}`).finally(() => {
      this.#activity += 1;
      this.#loads.delete(loading);
    });
    this.#loads.add(loading);
    return loading;
  }

  async #receive({ method, path, headers, body }) {
    this.#activity += 1;
    const url = new URL(path.replace("/v3/apps/shop", ""), "http://server");
    const request = {
      request: `${method} ${url.pathname}`, query: Object.fromEntries(url.searchParams), headers: lower(headers),
      body: body === undefined ? null : JSON.parse(body), at: this.passed, arrived: false, state: this.newestState, token: this.newestToken,
      hasContentType: headers["Content-Type"] === "application/json",
    };
    this.requests.push(request);
    try {
      new Headers(headers);
    } catch (error) {
      // As a browser does with a header that cannot be.
      return { message: `No response: ${error.name}` };
    }
    const hasEvent = (name) => !name || request.body.events.some((event) => event.name === name);
    const place = this.answers.findIndex(({ on, left, ifEvent }) => on === request.request && left > 0 && hasEvent(ifEvent));
    const scripted = this.answers[place];
    if (!this.isOnline) return { message: "No response: off" };
    if (scripted) {
      scripted.left -= 1;
      if (scripted.fault === "lost") return { message: "No response: lost" };
    }
    request.arrived = true;
    const isTaken = scripted?.fault === "hang";
    if (isTaken) this.#take(request, {});
    if (isTaken) await new Promise((resolve) => this.#hanging.push(resolve));
    const isOwn = scripted && !(scripted.status < 400 && !["json", "text", "rejects"].some((key) => key in scripted)) && !scripted.fault;
    const accepted = isOwn ? {} : this.#accepts(request);
    const status = scripted?.status ?? accepted.status;
    let json = accepted.json;
    if (scripted?.error) json = { error: { code: scripted.error, message: "The scenario says so." } };
    else if (scripted && "json" in scripted) json = filled(scripted.json, request.body);
    else if (scripted?.rejects) {
      const rejected = request.body.events.map(({ id, name }, index) => ({ id, name, index })).filter(({ name }) => scripted.rejects.includes(name));
      json = { rejected: rejected.map(({ id, index }) => ({ index, id, reason: "The scenario says so." })) };
    }
    const text = scripted?.text ?? (json === undefined || status === 204 ? "" : JSON.stringify(json));
    const isFine = status >= 200 && status < 300 && !scripted?.intermediary;
    if (isFine && !isTaken) this.#take(request, json ?? {});
    if (scripted?.fault === "answerLost") return { message: "No response: lost" };
    const answered = new Map(Object.entries(lower(scripted?.headers ?? {})));
    if (!scripted?.intermediary) {
      this.#counts.responses += 1;
      this.newestState = `state-${this.#counts.responses}`;
      answered.set("x-client-state", this.newestState);
      answered.set("date", new Date(this.serverNow()).toUTCString());
    }
    if (isFine && json?.contactToken) this.newestToken = json.contactToken;
    return { status, header: (name) => answered.get(name.toLowerCase()) ?? null, text };
  }

  #take(request, said) {
    if (request.request !== "POST /client/events") return;
    const rejected = new Set([said.rejected ?? []].flat().map((one) => one?.index));
    request.body.events.forEach((event, index) => {
      if (!rejected.has(index) && !this.stored.some(({ id }) => id === event.id)) this.stored.push(event);
    });
  }

  #accepts({ request, body }) {
    const token = () => {
      this.#counts.tokens += 1;
      const n = this.#counts.tokens;
      return { contactToken: `token-${n}`, refreshToken: `refresh-${n}`, contactReference: `tag-${String(n).padStart(8, "0")}.reference-${n}` };
    };
    switch (request) {
      case "POST /client/contact": return { status: 200, json: token() };
      case "POST /client/contact-token": return { status: 200, json: { contactToken: token().contactToken } };
      case "POST /client/registration":
        return { status: 201, json: { registrationId: body.registrationId, revision: body.revision, status: "received" } };
      case "GET /client/message-centers":
        return { status: 200, json: { messageCenters: [{ name: "Primary", label: "Inbox", messages: this.messages }], badge: this.badge } };
      case "GET /client/badge": case "PUT /client/badge": return { status: 200, json: this.badge };
      case "POST /client/events": {
        const message = this.inApp.due(body, this.stored);
        return message ? { status: 200, json: { message } } : { status: 204 };
      }
      default:
        return /^(POST \/client|(PUT|DELETE) \/client\/push-token|PUT \/client\/messages\/[^/]+\/state)$/.test(request)
          ? { status: 204 } : { status: 404, json: { error: { code: "notFound", message: "There is no such address." } } };
    }
  }
}

const lower = (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** `"$sent.revision"` stands for a value of the request's body. */
function filled(json, body) {
  if (typeof json === "string" && json.startsWith("$sent.")) return body[json.slice(6)];
  if (Array.isArray(json)) return json.map((value) => filled(value, body));
  if (json && typeof json === "object") return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, filled(value, body)]));
  return json;
}
