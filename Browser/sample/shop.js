// A shop of three pages. Everything of Belfry is in the first part; the rest is the shop.
import { Belfry } from "http://127.0.0.1:8080/sdk/0.1.0/belfry.js";

const show = (name, text) => {
  for (const part of document.querySelectorAll(`[data-show="${name}"]`)) part.textContent = text;
};
const list = (name, texts) => {
  for (const part of document.querySelectorAll(`[data-show="${name}"]`)) {
    part.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }
};
const basket = {
  get lines() { return JSON.parse(sessionStorage.getItem("basket") ?? "[]"); },
  set lines(lines) { sessionStorage.setItem("basket", JSON.stringify(lines)); },
};

// Where the browser denies its storage, the shop goes on without it.
const belfry = await Belfry.start({
  appCode: "shop", serverURL: "http://127.0.0.1:8080", appVersion: "1.0", worker: { url: "belfry-sw.js" },
}).catch(({ code }) => console.warn(`Belfry did not start: ${code}`));

const acts = {
  async add({ dataset: { sku, price } }) {
    basket.lines = [...basket.lines, sku];
    await belfry?.track("cart:add", { sku, price: Number(price) });
  },
  async order() {
    await belfry?.track("order", { items: basket.lines.length });
    basket.lines = [];
  },
  async login(form) {
    const result = await belfry?.identify(new FormData(form).get("customer"));
    if (result && !result.accepted) alert(result.message);
  },
  logout: () => belfry?.logout(),
  push: () => belfry?.requestPushPermission(),
};

async function paint() {
  const { lines } = basket;
  show("count", lines.length ? `(${lines.length})` : "");
  list("basket", lines.length ? lines : ["Nothing yet"]);
  if (!belfry) return;
  const [record, inbox] = await Promise.all([belfry.record(), belfry.messages()]);
  show("who", record.contactKey ?? "a guest");
  show("push", { subscribed: "You get our offers.", denied: "Your browser blocks our offers.", unsupported: "" }[belfry.pushState] ?? "");
  show("unread", belfry.unreadCount ? `(${belfry.unreadCount})` : "");
  list("messages", inbox.messages.map(({ subject, message }) => `${subject}: ${message}`));
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-do]");
  if (button) await acts[button.dataset.do](button).then(paint);
});
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  await acts.login(event.target).then(paint);
});

if (belfry) {
  belfry.on("report", (report) => console.info("Belfry:", report));
  belfry.on("messages", paint);
  belfry.on("unreadCount", paint);
  await belfry.setMessageCenterEnabled(true);
  await belfry.trackScreen(document.title);
  for (const place of document.querySelectorAll("[data-view]")) await belfry.showInline(place, place.dataset.view);
}
await paint();
