// As much of a page's document as in-app messages use, without a browser: frames, and the person who looks at them.
class Element {
  style = {};
  #frame;

  constructor(screen) {
    Object.assign(this, { screen, contentWindow: this });
  }

  append(frame) {
    this.#frame = frame;
    frame.parent = this;
    // A frame's page says that it is there; then it gets its message and a port.
    queueMicrotask(() => this.screen.hear({ source: frame, data: { belfryFrame: true } }));
  }

  postMessage({ html }, origin, [port]) {
    this.post = (data) => port.postMessage(data);
    this.page = { campaign: html, say: (command, fields) => this.post({ command, ...fields }) };
    this.page.say("loaded", { type: "modal", height: 100 });
  }

  get shown() { return this.style.visibility === "visible" ? this.#frame?.page : undefined; }
  /** The campaign that is in this place of the page. */
  get inline() { return this.#frame?.page?.campaign ?? null; }
  /** As a page in the frame that is not to be trusted, which may post whatever can be cloned. */
  say(data) { this.#frame.post(data); }
  replaceChildren() { this.#frame = undefined; }
  remove() {
    this.parent?.replaceChildren();
    this.screen.removed(this);
  }
  setAttribute() {}
  addEventListener() {}
  showModal() {}
  contains() { return false; }
  focus() {}
}

/** Both ends of a channel whose messages come at once. */
class Channel {
  constructor() {
    const end = () => ({ postMessage(data) { queueMicrotask(() => this.other.onmessage?.({ data })); } });
    Object.assign(this, { port1: end(), port2: end() });
    Object.assign(this.port1, { other: this.port2 });
    Object.assign(this.port2, { other: this.port1 });
  }
}

export class Screen {
  #listeners = new Set();
  #elements = [];

  /** The process that begins sees this screen. */
  install() {
    const screen = this;
    Object.assign(globalThis, {
      MessageChannel: Channel, innerHeight: 800,
      document: { body: { append: (element) => screen.#elements.push(element) }, createElement: () => new Element(screen) },
      addEventListener: (type, listener) => screen.#listeners.add(listener),
      removeEventListener: (type, listener) => screen.#listeners.delete(listener),
    });
  }

  /** With the process goes what it shows. */
  clear() {
    this.#elements = [];
    this.#listeners.clear();
  }

  hear(event) { for (const listener of [...this.#listeners]) listener(event); }
  removed(element) { this.#elements = this.#elements.filter((other) => other !== element); }

  /** A place in the page, as a site has it. */
  place() { return new Element(this); }
  /** Whatever the page of the message on the screen posts. */
  post(data) { this.#elements[0].say(data); }

  get #page() { return this.#elements.map(({ shown }) => shown).find((page) => page); }
  get campaign() { return this.#page?.campaign ?? null; }

  press(buttonId) {
    const page = this.#page;
    if (!page) throw new Error("no message is on the screen");
    page.say("buttonClicked", { buttonId });
    page.say("close");
  }

  close() {
    if (!this.#page) throw new Error("no message is on the screen");
    this.#page.say("close");
  }
}
