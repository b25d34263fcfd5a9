// The sample app: home, products, basket, inbox, profile.
import { element, button, icon, time } from "./element.js";

const tabs = [["home", "Home"], ["products", "Products"], ["basket", "Basket"], ["inbox", "Inbox"], ["profile", "Profile"]];

export function shop(app, view, act, number) {
  const body = app.link ? linkPage(app, act) : app.message ? messagePage(app, act, number)
    : { home, products, basket, inbox, profile }[app.tab](app, view, act, number);
  return element("div", { class: "shop" },
    element("div", { class: "page", data: { scroll: `${app.tab} ${app.product ?? ""} ${app.message?.message.id ?? ""} ${app.link ?? ""}` } }, body),
    element("nav", { class: "tabs", "aria-label": "The sample app" }, tabs.map(([name, label]) =>
      button([
        icon(name), label,
        name === "inbox" && app.unread ? element("span", { class: "badge" }, String(app.unread)) : null,
        name === "basket" && app.basket.length ? element("span", { class: "badge calm" }, String(app.basket.length)) : null,
      ], `tab-${name}`, () => act({ do: "tab", name }), { "aria-current": app.tab === name ? "page" : null }))));
}

const named = (person) => `${person[0].toUpperCase()}${person.slice(1)}`;

function home(app, view, act, number) {
  return [
    element("h3", {}, app.person ? `Hello, ${named(app.person)}` : "Welcome"),
    app.inline ? pageFrame(number, app.inline, "A message in the app’s own view", "inline") : null,
    view.permission === "notAsked"
      ? element("div", { class: "card ask" }, icon("bell"),
        element("p", {}, "Know first what is new."),
        button("Turn on notifications", "ask", () => act({ do: "ask" }), { class: "strong" }))
      : null,
    element("h4", {}, "For the next trip"),
    element("div", { class: "shelf" }, app.products.map((p) => productCard(p, act))),
  ];
}

function productCard(product, act) {
  return button([
    element("span", { class: `picture ${product.sku}`, "aria-hidden": "true" }, icon(product.sku)),
    element("span", { class: "name" }, product.name), element("span", { class: "price" }, `€ ${product.price}`),
  ], `product-${product.sku}`, () => act({ do: "product", name: product.sku }), { class: "product" });
}

function products(app, view, act) {
  const product = app.products.find((p) => p.sku === app.product);
  if (!product) return [element("h3", {}, "Products"), element("div", { class: "shelf" }, app.products.map((p) => productCard(p, act)))];
  return [
    button([icon("back"), "Products"], "back", () => act({ do: "tab", name: "products" }), { class: "back" }),
    element("span", { class: `picture large ${product.sku}`, "aria-hidden": "true" }, icon(product.sku)),
    element("h3", {}, product.name),
    element("p", { class: "price" }, `€ ${product.price}`),
    button("Put into the basket", "buy", () => act({ do: "buy", name: product.sku }), { class: "strong" }),
  ];
}

function basket(app, view, act) {
  if (!app.basket.length) return [element("h3", {}, "Basket"), nothing("basket", "Your basket is empty.")];
  const total = app.basket.reduce((sum, p) => sum + p.price, 0);
  return [
    element("h3", {}, "Basket"),
    element("ul", { class: "rows" }, app.basket.map((p) => element("li", {}, p.name, element("span", {}, `€ ${p.price}`)))),
    button(`Pay € ${total}`, "checkout", () => act({ do: "checkout" }), { class: "strong" }),
  ];
}

function nothing(name, text) {
  return element("div", { class: "nothing" }, icon(name), element("p", {}, text));
}

function inbox(app, view, act) {
  return [
    element("div", { class: "heading" }, element("h3", {}, "Inbox"), button("Refresh", "refresh", () => act({ do: "refreshInbox" }), { class: "quiet" })),
    app.messages.length
      ? element("ul", { class: "mail" }, app.messages.map((m) => element("li", { class: m.isUnread ? "unread" : "" },
        button([
          element("span", { class: "dot", "aria-label": m.isUnread ? "Unread" : "Read", role: "img" }),
          element("span", { class: "words" }, element("strong", {}, m.subject), element("span", {}, m.text)),
          element("span", { class: "when" }, time(m.at)),
        ], `mail-${m.id}`, () => act({ do: "message", name: m.id })))))
      : nothing("inbox", "There is nothing here yet."),
  ];
}

function messagePage({ message: open, messages }, act, number) {
  const place = messages.findIndex(({ id }) => id === open.message.id);
  const next = messages[place + 1] ?? messages[place - 1];
  return [
    button([icon("back"), "Inbox"], "back", () => act({ do: "closeMessage" }), { class: "back", "aria-label": "Back" }),
    element("h3", {}, open.message.subject),
    open.hasPage ? element("iframe", {
      class: "rich", sandbox: "", title: open.message.subject, src: `/phone/${number}/message?${encodeURIComponent(open.message.id)}`,
    }) : element("p", {}, open.isLoading ? "The message is loading …" : open.message.text),
    button("Delete", "delete", () => act({ do: "deleteMessage", name: open.message.id }), {
      class: "quiet bad-choice", data: { key: "delete", next: next ? `mail-${next.id}` : "refresh" },
    }),
  ];
}

function linkPage(app, act) {
  return [
    element("h3", {}, "The app opens"), element("p", { class: "link" }, app.link),
    button("Done", "done", () => act({ do: "closeLink" }), { class: "strong" }),
  ];
}

function profile(app, view, act) {
  const city = element("input", { id: "city", value: app.attributes.city ?? "", maxlength: "80", autocomplete: "off", data: { key: "city" } });
  const form = element("form", { class: "line" }, element("label", { for: "city" }, "City"), city,
    element("button", { type: "submit", class: "quiet", data: { key: "save-city" } }, "Save"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act({ do: "attribute", name: "city", value: city.value });
  });
  return [
    element("h3", {}, "Profile"),
    element("div", { class: "card who" },
      element("span", { class: "face-of", "aria-hidden": "true" }, app.person ? named(app.person)[0] : icon("profile")),
      element("p", {}, app.person ? `You are logged in as ${named(app.person)}.` : "Nobody is logged in."),
      app.person
        ? button("Log out", "logout", () => act({ do: "logout" }), { class: "quiet" })
        : element("div", { class: "two" }, ["ann", "ben"].map((name) =>
          button(`Log in as ${named(name)}`, `login-${name}`, () => act({ do: "login", name }), { class: "strong" })))),
    element("div", { class: "card rows-of" }, form,
      toggle("Notifications of this app", app.pushEnabled, "push", (on) => act({ do: "pushSwitch", on })),
      toggle("Sports", app.tags.includes("sports"), "sports", (on) => act({ do: "tag", value: "sports", on }))),
    button("Set the badge to 0", "badge", () => act({ do: "resetBadge" }), { class: "quiet" }),
  ];
}

export function toggle(label, isOn, key, change) {
  return button([label, element("span", { class: "knob", "aria-hidden": "true" })], key, () => change(!isOn),
    { class: "toggle", role: "switch", "aria-checked": String(isOn) });
}

export function pageFrame(number, page, title, kind) {
  return element("iframe", {
    class: kind, sandbox: "allow-scripts", title, src: `/phone/${number}/pages/${page}`, data: { page: String(page) },
  });
}
