// In-app messages on a page: the server decides at each event which one is due (WIRE-6), and this shows it in a frame of
// its own, with the limits and reports of IAM-7 to IAM-9.
import { readMessage, readResponse, request } from "./belfry-calls.js";

const CLAIM = 60_000;
const LOAD = 15_000;
const MOST_COMMANDS = 200;
const REFUSED = /^(javascript|data|file|blob|about|vbscript|filesystem|view-source):/i;
const ALLOWED = /^(https?|mailto|sms|tel):/i;

/** The message of this tab. */
let present = null;

/** Called whenever what is stored has changed. */
export function refreshed(engine, state) {
  if (present && (present.person !== state.link.person || state.rest)) present.end("replaced", "personChanged");
  if (!engine.edge.isVisible()) return;
  if (state.inApp.due && !present) take(engine, state.link.person).catch(failed(engine));
  if (state.inApp.actions) act(engine).catch(failed(engine));
}

/** For what nobody waits for: a storage that fails is a report, and no exception in the site's page. */
const failed = (engine) => ({ code, message }) => engine.emit("report", { type: "callFailed", code, message });

/** What is to be done at once at an event, by the one tab that takes it. */
async function act(engine) {
  const actions = await engine.step((s) => {
    const { actions: due } = s.state.inApp;
    s.state.inApp.actions = null;
    return due;
  }, true);
  if (actions) perform(engine, actions);
}

/** One tab takes a message; if it dies before the message was seen, another one may take it a minute later (IAM-8). */
async function take(engine, person) {
  const claim = { person, end: () => { claim.isOver = true; } };
  present = claim;
  const due = await engine.step((s) => {
    const { inApp, link } = s.state;
    const { due: waiting } = inApp;
    if (!waiting || waiting.owner !== link.owner || inApp.isPaused || Math.abs(s.now - waiting.claimedAt) < CLAIM) return null;
    waiting.claimedAt = s.now;
    return { ...waiting, person: link.person };
  }, true).catch((error) => {
    // Another try is not kept from the screen by this one.
    present = null;
    throw error;
  });
  const { mayShow } = engine.config.inApp;
  const isWanted = due && !claim.isOver && (await allows(mayShow, due).catch(() => false)) !== false;
  if (due && isWanted && !claim.isOver) return show(engine, due);
  present = null;
  if (due) await drop(engine, due, claim.isOver ? "personChanged" : "vetoed");
}

/** A site whose question fails has not said yes. */
const allows = async (mayShow, { campaignId }) => mayShow?.({ campaignId });

function drop(engine, due, reason) {
  return engine.step((s) => {
    if (s.state.inApp.due?.at === due.at) s.state.inApp.due = null;
    s.track("internal", "inapp:notShown", { campaignId: due.campaignId, reason }, { owner: due.owner });
  }).catch(failed(engine));
}

function show(engine, due) {
  const focused = document.activeElement;
  const dialog = document.createElement("dialog");
  Object.assign(dialog.style, {
    position: "fixed", inset: "0", width: "100%", height: "100%", maxWidth: "none", maxHeight: "none",
    margin: "0", padding: "0", border: "0", background: "transparent", visibility: "hidden", pointerEvents: "none",
    zIndex: "2147483647",
  });
  document.body.append(dialog);
  const visit = new Visit(engine, due, dialog, {
    loaded: ({ type, height }) => {
      const isBanner = type === "bannerTop" || type === "bannerBottom";
      dialog.close();
      if (isBanner) {
        Object.assign(dialog.style, { inset: type === "bannerTop" ? "0 0 auto" : "auto 0 0", height: "fit-content" });
        visit.size(Math.min(height, innerHeight / 2));
        dialog.show();
      } else dialog.showModal();
      Object.assign(dialog.style, { visibility: "visible", pointerEvents: "auto" });
      if (!isBanner) visit.frame.focus();
      return isBanner;
    },
    ended: () => {
      dialog.remove();
      focused?.focus?.();
      present = null;
    },
  });
  visit.frame.style.height = "100%";
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    visit.end("close");
  });
  dialog.show();
  present = visit;
}

/** One message in one frame, from its loading to its end. */
class Visit {
  #commands = 0;
  #shownAt = null;
  #isOver = false;
  #isPressed = false;

  constructor(engine, due, parent, { loaded, ended, isInline = false }) {
    Object.assign(this, { engine, due, person: due.person, loaded, ended, isInline });
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "Message";
    frame.src = new URL("./belfry-frame.html", import.meta.url);
    Object.assign(frame.style, {
      width: "100%", border: "0", display: "block", colorScheme: "normal", background: "transparent",
    });
    this.frame = frame;
    const greet = ({ source, data }) => {
      if (source !== frame.contentWindow || !data?.belfryFrame) return;
      removeEventListener("message", greet);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (event) => this.#hear(event.data);
      frame.contentWindow.postMessage({ html: due.html }, "*", [port2]);
    };
    addEventListener("message", greet);
    parent.append(frame);
    engine.edge.timer(LOAD, () => { if (this.#shownAt == null) this.end("replaced", "loadFailed"); });
  }

  size(height) { this.frame.style.height = `${Math.min(Math.max(height, 0), 100_000)}px`; }

  /** What the page says is not trusted (IAM-12). */
  async #hear({ command, ...fields } = {}) {
    if (this.#isOver || (this.#commands += 1) > MOST_COMMANDS && command !== "close") return;
    const { engine, due } = this;
    if (command === "loaded") return this.#appear(fields);
    if (this.#shownAt == null) return;
    if (command === "resized" && this.isInline) this.size(fields.height);
    if (command === "resized" && this.isBanner) this.size(Math.min(fields.height, innerHeight / 2));
    if (command === "close") return this.end(this.#isPressed ? "button" : "close");
    this.#isPressed ||= command === "buttonClicked" || command === "openExternalLink";
    // The bridge of version 3 says `message` where the message itself was pressed; Belfry's own name for that is none.
    const button = fields.buttonId === "message" ? {} : { buttonId: String(fields.buttonId).slice(0, 64) };
    if (command === "buttonClicked") await this.#report("inapp:click", button);
    if (command === "openExternalLink") open(engine, fields.url, due);
    if (command === "requestPushPermission") await engine.client.requestPushPermission();
    if (command === "triggerMEEvent") await engine.client.track(fields.name, fields.payload).catch(() => {});
    const { campaignId } = due;
    const { name, payload: attributes = {} } = fields;
    if (command === "triggerAppEvent") engine.emit("inAppEvent", { campaignId, name, attributes });
  }

  /** It counts when it is on the screen: stored first, then shown, so that a crash shows it no more often than its limit. */
  async #appear(fields) {
    const { engine, due } = this;
    this.#shownAt = engine.edge.now();
    const isDue = await engine.step((s) => {
      if (s.state.link.owner !== due.owner || (!this.isInline && s.state.inApp.due?.at !== due.at)) return false;
      if (!this.isInline) s.state.inApp.due = null;
      // An inline message counts once in a session, by the same id (IAM-12).
      const id = this.isInline ? `viewed:${due.campaignId}:${s.state.session?.id}`.slice(0, 64) : s.uuid();
      s.track("internal", "inapp:viewed", { campaignId: due.campaignId }, { id });
      return true;
    }).catch(failed(engine));
    if (!isDue) {
      this.#shownAt = null;
      // Without the storage it stays due, for another time.
      return this.end("replaced", isDue === false ? "personChanged" : undefined);
    }
    if (this.#isOver) return;
    this.isBanner = this.loaded(fields);
    engine.emit("inApp", { campaignId: due.campaignId, state: "shown" });
  }

  /** `reason`: why it was not shown, if it was not. */
  async end(how, reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.ended();
    this.frame.remove();
    const { engine, due } = this;
    if (this.#shownAt == null) return this.isInline || !reason ? undefined : drop(engine, due, reason);
    const seconds = Math.round((engine.edge.now() - this.#shownAt) / 100) / 10;
    engine.emit("inApp", { campaignId: due.campaignId, state: "dismissed" });
    await this.#report("inapp:dismiss", { seconds, how });
  }

  #report(name, attributes) {
    const { engine, due } = this;
    return engine.step((s) => s.track("internal", name, { campaignId: due.campaignId, ...attributes }, { owner: due.owner }))
      .catch(failed(engine));
  }
}

/** Without `URL.canParse`, which browsers have since 2023 only. */
function readAddress(text) {
  try {
    return new URL(text, location.href);
  } catch {
    return null;
  }
}

/** The site may handle a link itself. Without that, an address of an allowed scheme is opened. */
function open(engine, url, { campaignId }) {
  let isHandled = false;
  const target = typeof url === "string" && !REFUSED.test(url.trim()) ? readAddress(url) : null;
  if (!target || !ALLOWED.test(target.href)) return engine.emit("report", { type: "inAppLinkRefused", campaignId });
  engine.emit("inAppLink", { campaignId, url: target.href, preventDefault: () => { isHandled = true; } });
  if (isHandled) return;
  if (target.origin === location.origin || !window.open(target.href, "_blank", "noopener")) location.assign(target.href);
}

function perform(engine, { campaignId, actions = [] }) {
  for (const { type, name, payload, url } of actions) {
    if (type === "OpenExternalUrl") open(engine, url, { campaignId });
    if (type === "MECustomEvent") engine.client.track(name, payload).catch(() => {});
    if (type === "MEAppEvent") engine.emit("inAppEvent", { campaignId, name, attributes: payload ?? {} });
  }
}

/** Until it is ended; a visit that begins later begins without a pause (IAM-7). */
export function pause(engine, isPaused) {
  return engine.step((s) => {
    s.state.inApp.isPaused = !!isPaused;
    s.isNews = true;
  });
}

/** Shows the inline message of a view in an element; resolves with whether there is one (IAM-12). */
export async function showInline(engine, element, viewId) {
  const { edge } = engine;
  const ask = async () => {
    const made = await engine.step((s) => {
      const { state: { link, rest } } = s;
      if (rest || !link.tokens || link.isExpired) return null;
      return { owner: link.owner, person: link.person, request: request(s, "POST", "/inline-messages", { viewIds: [viewId] }) };
    }, true);
    return made && { ...made, response: readResponse(await edge.send(made.request), edge.now()) };
  };
  let asked = await ask();
  if (!asked || asked.response.status === 401) {
    // The tab that leads makes the first link, or renews the token.
    if (asked) await engine.step((s) => { s.state.link.isExpired = true; });
    await linked(engine);
    asked = await ask();
  }
  const { status, code, message: why, json } = asked?.response ?? {};
  if (status >= 400) engine.tell({ reports: [{ type: "inlineMessagesRefused", status, code, message: why }] });
  const message = readMessage(json?.inlineMessages?.[0]);
  if (!message) return false;
  element.replaceChildren();
  new Visit(engine, { ...message, owner: asked.owner, person: asked.person }, element, {
    isInline: true, ended: () => {}, loaded: ({ height }) => { element.querySelector("iframe").style.height = `${height}px`; },
  });
  return true;
}

/** Until there is a contact, or for ten seconds. */
async function linked(engine) {
  const isLinked = async () => {
    const { link } = (await engine.read()).state;
    return link.tokens && !link.isExpired;
  };
  let isOver = false;
  const cancel = engine.edge.timer(10_000, () => { isOver = true; });
  while (!isOver && !(await isLinked())) await new Promise((resolve) => engine.edge.timer(100, resolve));
  cancel();
}
