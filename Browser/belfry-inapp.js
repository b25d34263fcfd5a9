// In-app messages on a page: the server decides at each event which one is due (WIRE-6), and this shows it in a frame of
// its own, with the limits and reports of IAM-7 to IAM-9.
import { readMessage, readResponse, request } from "./belfry-calls.js";
import { flag, invalid, track } from "./belfry-state.js";

const CLAIM = 60_000;
const LOAD = 15_000;
const MOST_COMMANDS = 200;
const REFUSED = /^(javascript|data|file|blob|about|vbscript|filesystem|view-source):/i;
const ALLOWED = /^(https?|mailto|sms|tel):/i;

/** The message over this tab, and those in their places. */
let present = null;
const inlines = new Set();

/** Whose a message is: the next installation counts its people anew. */
const whose = ({ id, rest, link }) => (rest ? null : `${id} ${link.person}`);

/** Called whenever what is stored has changed. */
export function refreshed(engine, state) {
  for (const message of [present, ...inlines]) {
    if (message && (message.isGone || message.person !== whose(state))) message.end("replaced", "personChanged");
  }
  if (!engine.edge.isVisible() || !engine.config.inApp) return;
  if (state.inApp.due && !present) take(engine, whose(state)).catch(failed(engine));
  if (state.inApp.actions) act(engine).catch(failed(engine));
}

/** The SDK is stopped in this page, so nothing would hear a message any more. */
export function stopped(engine) {
  for (const message of [present, ...inlines]) if (message?.engine === engine) message.end("replaced");
}

/** For what nobody waits for: a storage that fails is a report, and no exception in the site's page. */
const failed = (engine) => ({ code, message }) => {
  if (code !== "stopped") engine.emit("report", { type: "callFailed", code, message });
};

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
  const claim = { engine, person, end: () => { claim.isOver = true; } };
  present = claim;
  const due = await engine.step((s) => {
    const { inApp, link } = s.state;
    const { due: waiting } = inApp;
    if (!waiting || waiting.owner !== link.owner || inApp.isPaused || Math.abs(s.now - waiting.claimedAt) < CLAIM) return null;
    waiting.claimedAt = s.now;
    return { ...waiting, person: whose(s.state) };
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
    track(s, "internal", "inapp:notShown", { campaignId: due.campaignId, reason }, { owner: due.owner });
  }).catch(failed(engine));
}

function show(engine, due) {
  let focused;
  const dialog = document.createElement("dialog");
  Object.assign(dialog.style, {
    position: "fixed", inset: "0", width: "100%", height: "100%", maxWidth: "none", maxHeight: "none",
    margin: "0", padding: "0", border: "0", background: "transparent", visibility: "hidden", pointerEvents: "none",
    zIndex: "2147483647",
  });
  dialog.setAttribute("aria-label", "Message");
  document.body.append(dialog);
  const visit = new Visit(engine, due, dialog, {
    loaded: ({ type, height }) => {
      const isBanner = type === "bannerTop" || type === "bannerBottom";
      focused = document.activeElement;
      dialog.open = isBanner;
      if (isBanner) {
        Object.assign(dialog.style, { inset: type === "bannerTop" ? "0 0 auto" : "auto 0 0", height: "fit-content" });
        visit.size(Math.min(height, innerHeight / 2));
      } else dialog.showModal();
      Object.assign(dialog.style, { visibility: "visible", pointerEvents: "auto" });
      if (!isBanner) visit.frame.focus();
      return isBanner;
    },
    ended: () => {
      const hadFocus = dialog.contains(document.activeElement);
      dialog.remove();
      if (hadFocus) focused?.focus?.({ preventScroll: true });
      present = null;
    },
  });
  visit.frame.style.height = "100%";
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    visit.end("close");
  });
  // Not `show()`, which would take the focus: the message is not seen yet, and a banner leaves the person where they are.
  dialog.open = true;
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
    this.greet = ({ source, data }) => {
      if (!source || source !== frame.contentWindow || !data?.belfryFrame) return;
      removeEventListener("message", this.greet);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (event) => this.#hear(event.data ?? {}).catch(failed(engine));
      source.postMessage({ html: due.html }, "*", [port2]);
    };
    addEventListener("message", this.greet);
    parent.append(frame);
    engine.edge.timer(LOAD, () => { if (this.#shownAt == null) this.end("replaced", "loadFailed"); });
  }

  /** The site has removed it together with what is around it, nobody knows when. */
  get isGone() { return this.#shownAt != null && this.frame.isConnected === false; }

  size(height) { this.frame.style.height = `${Math.min(Math.max(height, 0), 100_000)}px`; }

  /** What the page says is not trusted (IAM-12). */
  async #hear({ command, ...fields }) {
    if (this.#isOver || (this.#commands += 1) > MOST_COMMANDS && command !== "close") return;
    const { engine, due } = this;
    if (this.#shownAt == null) return command === "loaded" ? this.#appear(fields) : undefined;
    if (command === "resized" && this.isInline) this.size(fields.height);
    if (command === "resized" && this.isBanner) this.size(Math.min(fields.height, innerHeight / 2));
    if (command === "close") return this.end(this.#isPressed ? "button" : "close");
    this.#isPressed ||= command === "buttonClicked" || command === "openExternalLink";
    // The bridge of version 3 says `message` where the message itself was pressed; Belfry's own name for that is none.
    const button = fields.buttonId === "message" ? {} : { buttonId: String(fields.buttonId).slice(0, 64) };
    if (command === "buttonClicked") await this.#report("inapp:click", button);
    if (command === "openExternalLink") open(engine, fields.url, due);
    if (command === "requestPushPermission") await engine.client.requestPushPermission();
    if (command === "triggerMEEvent") await engine.client.track(fields.name, fields.payload);
    if (command === "triggerAppEvent") tellSite(engine, due, fields);
  }

  /** It counts when it is on the screen: stored first, then shown, so that a crash shows it no more often than its limit. */
  async #appear(fields) {
    const { engine, due } = this;
    this.#shownAt = engine.edge.now();
    const isDue = await engine.step((s) => {
      if (s.state.link.owner !== due.owner || whose(s.state) !== due.person || (!this.isInline && s.state.inApp.due?.at !== due.at)) return false;
      if (!this.isInline) s.state.inApp.due = null;
      // An inline message counts once in a session, by the same id (IAM-12).
      const id = this.isInline ? `viewed:${due.campaignId}:${s.state.session?.id}`.slice(0, 64) : s.uuid();
      track(s, "internal", "inapp:viewed", { campaignId: due.campaignId }, { id });
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
    const { isGone } = this;
    removeEventListener("message", this.greet);
    this.ended();
    this.frame.remove();
    const { engine, due } = this;
    if (this.#shownAt == null) return this.isInline || !reason ? undefined : drop(engine, due, reason);
    const seconds = Math.round((engine.edge.now() - this.#shownAt) / 100) / 10;
    engine.emit("inApp", { campaignId: due.campaignId, state: "dismissed" });
    if (!isGone) await this.#report("inapp:dismiss", { seconds, how });
  }

  #report(name, attributes) {
    const { engine, due } = this;
    return engine.step((s) => track(s, "internal", name, { campaignId: due.campaignId, ...attributes }, { owner: due.owner }))
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
  const isOther = target.origin !== location.origin && /^http/.test(target.protocol);
  // With the feature `noopener` a browser does not say whether it has opened one.
  const tab = isOther ? window.open(target.href, "_blank") : null;
  if (tab) tab.opener = null;
  else location.assign(target.href);
}

function perform(engine, { campaignId, actions = [] }) {
  for (const { type, name, payload, url } of actions) {
    if (type === "OpenExternalUrl") open(engine, url, { campaignId });
    if (type === "MECustomEvent") engine.client.track(name, payload).catch(failed(engine));
    if (type === "MEAppEvent") tellSite(engine, { campaignId }, { name, payload });
  }
}

/** An event for the site itself, of the kinds that its listener may expect. */
function tellSite(engine, { campaignId }, { name, payload }) {
  if (typeof name === "string") engine.emit("inAppEvent", { campaignId, name, attributes: { ...payload } });
}

/** Until it is ended; a visit that begins later begins without a pause (IAM-7). */
export function pause(engine, isPaused) {
  const isHeldBack = flag(isPaused, "isPaused");
  return engine.step((s) => {
    s.state.inApp.isPaused = isHeldBack;
    s.isNews = true;
  });
}

/** Shows the inline message of a view in an element; resolves with whether there is one (IAM-12). */
export async function showInline(engine, element, viewId) {
  const { edge } = engine;
  if (typeof element?.replaceChildren !== "function") invalid("element", "an element of the page");
  if (typeof viewId !== "string" || !viewId.trim()) invalid("viewId", "the id of a view");
  const ask = async () => {
    const made = await engine.step((s) => {
      const { link, rest } = s.state;
      if (rest || !isLinked(link)) return null;
      return { owner: link.owner, person: whose(s.state), request: request(s, "POST", "/inline-messages", { viewIds: [viewId] }) };
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
  const visit = new Visit(engine, { ...message, owner: asked.owner, person: asked.person }, element, {
    isInline: true, ended: () => inlines.delete(visit), loaded: ({ height }) => visit.size(height),
  });
  inlines.add(visit);
  return true;
}

/** While a link is still to be made, the token is that of a person who may have left. */
const isLinked = ({ tokens, isExpired, pending }) => tokens && !isExpired && !pending.length;

/** Until there is a contact, or cannot be one, or for ten seconds. */
async function linked(engine) {
  const isSettled = async () => {
    const { link, rest } = (await engine.read()).state;
    return rest || isLinked(link);
  };
  let isOver = false;
  const cancel = engine.edge.timer(10_000, () => { isOver = true; });
  while (!isOver && !(await isSettled())) await new Promise((resolve) => engine.edge.timer(100, resolve));
  cancel();
}
