// What the tests in a real Chromium share: the browser, a server that accepts, and a site of its own for each test.
import { Chromium, CHROMIUM } from "./chromium.mjs";
import { Api, website } from "./site.mjs";

export const skip = CHROMIUM ? false : "there is no Chromium";

export class Stage {
  #sites = [];

  async open(options) {
    this.api = await new Api(options).start();
    this.browser = new Chromium();
  }

  async close() {
    await this.browser?.close();
    for (const server of [...this.#sites, this.api]) server?.close();
  }

  get sdk() { return `${this.api.origin}/sdk/1.0.0`; }

  /** A page that starts the SDK; `options` are more of them, as text. */
  page(options = "", before = "") {
    const { origin } = this.api;
    return `<!doctype html><meta charset="utf-8"><title>Shop</title>${before && `<script>${before}</script>`}<script type="module">
      import { Belfry } from "${this.sdk}/belfry.js";
      window.Belfry = Belfry;
      window.reports = [];
      window.started = Belfry.start({ appCode: "shop", serverURL: "${origin}", ${options} }).then((belfry) => {
        belfry.on("report", (report) => reports.push(report));
        return (window.belfry = belfry);
      });
      started.catch((error) => { window.failure = error.code; });
    </script>`;
  }

  /** A site of an origin, and so an installation, of its own, with these pages. */
  async fresh(pages) {
    this.site = await website({ "/": this.page(), "/product": this.page(), ...pages });
    this.#sites.push(this.site);
    Object.assign(this.api, { requests: [], events: [], answer: () => undefined });
    return this.site;
  }

  /** The names of the events that have arrived. */
  names(type) { return this.api.events.filter((event) => event.type === type).map(({ name }) => name); }

  /** Until so many events of a name have arrived. */
  has(name, count = 1) {
    return this.api.until(() => this.api.events.filter((event) => event.name === name).length >= count);
  }

  /** Until a request of this name has arrived that fulfils the condition. */
  asked(name, condition = () => true) {
    return this.api.until(({ requests }) => requests.some((request) => request.name === name && condition(request)));
  }

  /** Opens a page whose SDK has started. */
  async visit(path = "/") {
    const tab = await this.browser.open(this.site.origin + path);
    await tab.run("started");
    return tab;
  }
}

/** An expression that becomes true in the page sooner or later, as one that waits for it. */
export const until = (condition) => `new Promise((resolve) => {
  const look = async () => ((await (${condition})) ? resolve() : setTimeout(look, 20));
  look();
})`;
