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
/** The messages, each with a way to remove it. Whoever was at one stays there, or goes on to the next, or to the list. */
const listMessages = (messages) => {
  const part = document.querySelector('[data-show="messages"]');
  if (!part) return;
  const buttons = () => [...part.querySelectorAll("button")];
  const place = buttons().indexOf(document.activeElement);
  const former = buttons()[place]?.dataset.id;
  part.replaceChildren(...messages.map(({ id, subject, message }) => {
    const [line, button] = ["li", "button"].map((name) => document.createElement(name));
    Object.assign(button.dataset, { do: "remove", id });
    button.setAttribute("aria-label", `Delete: ${subject}`);
    button.append("Delete");
    line.append(`${subject}: ${message} `, button);
    return line;
  }));
  if (place < 0) return;
  const same = buttons().find(({ dataset }) => dataset.id === former);
  (same ?? buttons()[place] ?? buttons().at(-1) ?? part).focus();
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
    await showOffers();
  },
  async logout() {
    await belfry?.logout();
    await showOffers();
  },
  push: () => belfry?.requestPushPermission(),
  // Another tab may have removed it.
  remove: ({ dataset: { id } }) => belfry?.deleteMessage(id).catch(({ code }) => console.warn(`Belfry: ${code}`)),
};

/** An offer in its place is a person's, and leaves with them. */
async function showOffers() {
  for (const place of document.querySelectorAll("[data-view]")) await belfry?.showInline(place, place.dataset.view);
}

async function paint() {
  const { lines } = basket;
  show("count", lines.length ? `(${lines.length})` : "");
  list("basket", lines.length ? lines : ["Nothing yet"]);
  if (!belfry) return;
  const [record, inbox] = await Promise.all([belfry.record(), belfry.messages()]);
  show("who", record.contactKey ?? "a guest");
  show("push", { subscribed: "You get our offers.", denied: "Your browser blocks our offers.", unsupported: "" }[belfry.pushState] ?? "");
  show("unread", belfry.unreadCount ? `(${belfry.unreadCount})` : "");
  listMessages(inbox.messages);
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-do]");
  if (button) {
    await acts[button.dataset.do](button);
    await paint();
  }
});
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  await acts.login(event.target);
  await paint();
});

if (belfry) {
  belfry.on("report", (report) => console.info("Belfry:", report));
  belfry.on("messages", paint);
  belfry.on("unreadCount", paint);
  await belfry.setMessageCenterEnabled(true);
  await belfry.trackScreen(document.title);
  await showOffers();
}
await paint();
