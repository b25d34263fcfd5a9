// A headless Chromium, driven over a pipe by the DevTools protocol. It looks up no name and talks to this machine only.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"].find(existsSync);

export class Chromium {
  #folder = mkdtempSync(join(tmpdir(), "belfry-chromium-"));
  #calls = new Map();
  #id = 0;
  #waiting = [];
  #buffer = "";
  events = [];

  constructor() {
    this.process = spawn(CHROMIUM, [
      "--headless=new", "--no-sandbox", "--remote-debugging-pipe", `--user-data-dir=${this.#folder}`, "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => this.#read(text));
  }

  #read(text) {
    this.#buffer += text;
    const parts = this.#buffer.split("\0");
    this.#buffer = parts.pop();
    for (const message of parts.map((part) => JSON.parse(part))) {
      const call = this.#calls.get(message.id);
      if (call) {
        this.#calls.delete(message.id);
        if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
        else call.resolve(message.result);
      } else if (message.method) {
        this.events.push(message);
        this.#waiting = this.#waiting.filter(({ matches, resolve }) => !matches(message) || resolve(message));
      }
    }
  }

  call(method, params = {}, sessionId) {
    this.#id += 1;
    const id = this.#id;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#calls.set(id, { method, resolve, reject }));
  }

  /** The first event that matches, past or coming. */
  event(matches) {
    const past = this.events.find(matches);
    return past ? Promise.resolve(past) : new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  /** Opens a tab, or a window; in the same browser, so with the same storage, unless a private context is named. */
  async open(url, newWindow = false, browserContextId = undefined) {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank", newWindow, browserContextId });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, targetId, sessionId);
    await tab.call("Page.enable");
    await tab.call("Runtime.enable");
    await tab.go(url);
    return tab;
  }

  /** The service worker of a script, which runs; a tab of its site. */
  async worker(scriptURL, tab) {
    for (;;) {
      const { targetInfos } = await this.call("Target.getTargets");
      const found = targetInfos.find(({ type, url }) => type === "service_worker" && url === scriptURL);
      if (found) {
        const { sessionId } = await this.call("Target.attachToTarget", { targetId: found.targetId, flatten: true });
        return new Tab(this, found.targetId, sessionId);
      }
      // The browser ends one that has nothing to do for half a minute; a message begins it again.
      await tab.run("navigator.serviceWorker.getRegistrations().then((all) => all.forEach(({ active }) => active?.postMessage(null)))");
    }
  }

  /** The addresses of all pages that are open. */
  async pages() {
    const { targetInfos } = await this.call("Target.getTargets");
    return targetInfos.filter(({ type }) => type === "page").map(({ url }) => url);
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.call("Browser.close").catch(() => {});
    await ended;
    // A last process of the browser may still write.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

class Tab {
  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId });
  }

  call(method, params) { return this.browser.call(method, params, this.sessionId); }

  async go(url) {
    const seen = this.browser.events.length;
    await this.call("Page.navigate", { url });
    await this.browser.event((event) => event.method === "Page.loadEventFired" && event.sessionId === this.sessionId && this.browser.events.indexOf(event) >= seen);
  }

  /** The value of an expression in the page; a promise is awaited. */
  async run(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** The process of the page dies at once. */
  async crash() {
    this.call("Page.crash").catch(() => {});
    await this.browser.event(({ method, sessionId }) => method === "Inspector.targetCrashed" && sessionId === this.sessionId);
    await this.close();
  }

  close() { return this.browser.call("Target.closeTarget", { targetId: this.targetId }); }
}
