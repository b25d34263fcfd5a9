// The phone's screen: lock screen, home screen, the sample app, the page of a message over it.
import { element, fill, button, time } from "./element.js";

const tabs = [["home", "Home"], ["products", "Products"], ["basket", "Basket"], ["inbox", "Inbox"], ["profile", "Profile"]];

export function showPhone(view, act, number) {
  const frame = document.getElementById("frame");
  frame.dataset.scheme = view.isDark ? "dark" : "light";
  frame.dataset.text = view.hasLargeText ? "large" : "standard";
  frame.dataset.place = view.place;
  fill(document.getElementById("status"), [view.now.slice(0, 16), view.isOnline, view.timeZone], () => statusBar(view));
  const screen = document.getElementById("screen");
  const shown = view.place === "app" ? [view.place, view.process, view.permission, view.app && { ...view.app, banner: null }]
    : [view.place, view.badge, view.notifications, view.now.slice(0, 16)];
  fill(screen, shown, () => {
    if (view.place === "lockScreen") return lockScreen(view, act);
    if (view.place === "homeScreen" || !view.app) return homeScreen(view, act);
    return shop(view.app, view, act, number);
  });
  fill(document.getElementById("banner"), view.place === "app" ? view.app?.banner : null,
    () => view.app?.banner ? notification(view.app.banner, view, act, true) : []);
  fill(document.getElementById("sheet"), view.isAsking, () => view.isAsking ? permissionSheet(act) : []);
  showOverlay(view.overlay, number);
}

function statusBar(view) {
  return [
    element("span", { class: "clock" }, clock(view)),
    element("span", { class: "signal" }, view.isOnline ? "5G" : "✈︎"),
    element("span", { class: "battery", "aria-label": "Battery full" }, "▮▮▮"),
  ];
}

function clock(view) {
  try {
    return new Date(view.now).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: view.timeZone });
  } catch {
    return time(view.now);
  }
}

function day(view) {
  const options = { weekday: "long", day: "numeric", month: "long" };
  try {
    return new Date(view.now).toLocaleDateString(view.locale, { ...options, timeZone: view.timeZone });
  } catch {
    return new Date(view.now).toLocaleDateString("en-GB", options);
  }
}

function lockScreen(view, act) {
  return element("div", { class: "lock" },
    element("p", { class: "day" }, day(view)),
    element("p", { class: "big-clock" }, clock(view)),
    element("div", { class: "notifications", role: "list", "aria-label": "Notifications" },
      groups(view.notifications).map((group) => stack(group, view, act))),
    button("Open the phone", "unlock", () => act({ do: "unlock" }), { class: "unlock" }));
}

// As iOS does: notifications of one thread lie on each other, the newest on top.
function groups(notifications) {
  const groups = new Map();
  for (const one of notifications) {
    if (!groups.has(one.thread)) groups.set(one.thread, []);
    groups.get(one.thread).push(one);
  }
  return [...groups.values()];
}

const opened = new Set();

function stack(group, view, act) {
  const [top, ...rest] = group;
  if (!rest.length) return notification(top, view, act);
  const isOpen = opened.has(top.thread);
  const more = button(isOpen ? "Show less" : `${rest.length} more`, `more-${top.thread}`, () => {
    isOpen ? opened.delete(top.thread) : opened.add(top.thread);
    document.getElementById("screen").dataset.shown = "";
    act(null);
  }, { class: "more", "aria-expanded": String(isOpen) });
  return element("div", { class: isOpen ? "group open" : "group", role: "listitem" },
    notification(top, view, act), isOpen ? rest.map((one) => notification(one, view, act)) : [], more);
}

function notification(one, view, act, isBanner = false) {
  const label = [one.title, one.subtitle, one.body].filter(Boolean).join(". ");
  return element("article", { class: isBanner ? "note in-app" : "note", role: isBanner ? null : "listitem" },
    button([
      element("span", { class: "app-icon small", "aria-hidden": "true" }, "B"),
      element("span", { class: "words" },
        element("span", { class: "title" }, one.title ?? "Shop"),
        one.subtitle && element("span", { class: "subtitle" }, one.subtitle),
        element("span", { class: "body" }, one.body ?? "")),
      element("span", { class: "when" }, time(one.at)),
      one.image && element("img", { src: one.image, alt: "" }),
    ], `tap-${one.id}`, () => act({ do: "tap", number: one.id }), { class: "face", "aria-label": `Open: ${label}` }),
    element("div", { class: "actions" },
      one.buttons.map((b) => button(b.text, `button-${one.id}-${b.id}`, () => act({ do: "tap", number: one.id, name: b.id }))),
      isBanner
        ? button("Hide", `hide-${one.id}`, () => act({ do: "dismissBanner" }), { class: "quiet" })
        : button("Clear", `clear-${one.id}`, () => act({ do: "dismiss", number: one.id }),
          { class: "quiet", "aria-label": `Clear: ${label}` })));
}

function homeScreen(view, act) {
  const name = view.badge ? `Shop, ${view.badge} new` : "Shop";
  return element("div", { class: "springboard" },
    button([
      element("span", { class: "app-icon", "aria-hidden": "true" }, "B",
        view.badge ? element("span", { class: "badge" }, String(view.badge)) : null),
      element("span", { class: "app-name", "aria-hidden": "true" }, "Shop"),
    ], "open-app", () => act({ do: "open" }), { class: "launcher", "aria-label": name }),
    view.notifications.length
      ? button(`${view.notifications.length} on the lock screen`, "to-lock", () => act({ do: "lock" }), { class: "quiet pill" })
      : null);
}

function permissionSheet(act) {
  return element("div", { class: "alert", role: "alertdialog", "aria-labelledby": "ask-title", "aria-describedby": "ask-text" },
    element("h3", { id: "ask-title" }, "“Shop” would like to send you notifications"),
    element("p", { id: "ask-text" }, "Notifications may include alerts, sounds and icon badges."),
    element("div", { class: "two" },
      button("Don’t allow", "deny", () => act({ do: "answer", on: false })),
      button("Allow", "allow", () => act({ do: "answer", on: true }), { class: "strong" })));
}

function shop(app, view, act, number) {
  const body = app.link ? linkPage(app, act) : app.message ? messagePage(app.message, act, number)
    : { home, products, basket, inbox, profile }[app.tab](app, view, act, number);
  return element("div", { class: "shop" },
    element("div", { class: "page" }, body),
    element("nav", { class: "tabs", "aria-label": "The sample app" }, tabs.map(([name, label]) =>
      button([
        element("span", { class: `icon ${name}`, "aria-hidden": "true" }), label,
        name === "inbox" && app.unread ? element("span", { class: "badge" }, String(app.unread)) : null,
        name === "basket" && app.basket.length ? element("span", { class: "badge calm" }, String(app.basket.length)) : null,
      ], `tab-${name}`, () => act({ do: "tab", name }), { "aria-current": app.tab === name ? "page" : null }))));
}

function home(app, view, act, number) {
  return [
    element("h3", {}, app.person ? `Hello, ${app.person[0].toUpperCase()}${app.person.slice(1)}` : "Welcome"),
    app.inline ? pageFrame(number, app.inline, "A message in the app’s own view", "inline") : null,
    view.permission === "notAsked"
      ? element("div", { class: "card" },
        element("p", {}, "Know first what is new."),
        button("Turn on notifications", "ask", () => act({ do: "ask" }), { class: "strong" }))
      : null,
    element("div", { class: "shelf" }, app.products.map((p) => productCard(p, act))),
  ];
}

function productCard(product, act) {
  return button([
    element("span", { class: `picture ${product.sku}`, "aria-hidden": "true" }),
    element("span", { class: "name" }, product.name), element("span", { class: "price" }, `€ ${product.price}`),
  ], `product-${product.sku}`, () => act({ do: "product", name: product.sku }), { class: "product" });
}

function products(app, view, act) {
  const product = app.products.find((p) => p.sku === app.product);
  if (!product) return [element("h3", {}, "Products"), element("div", { class: "shelf" }, app.products.map((p) => productCard(p, act)))];
  return productPage(product, act);
}

function productPage(product, act) {
  return [
    element("h3", {}, product.name),
    element("span", { class: `picture large ${product.sku}`, "aria-hidden": "true" }),
    element("p", { class: "price" }, `€ ${product.price}`),
    button("Put into the basket", "buy", () => act({ do: "buy", name: product.sku }), { class: "strong" }),
  ];
}

function basket(app, view, act) {
  if (!app.basket.length) return [element("h3", {}, "Basket"), element("p", { class: "empty" }, "Your basket is empty.")];
  const total = app.basket.reduce((sum, p) => sum + p.price, 0);
  return [
    element("h3", {}, "Basket"),
    element("ul", { class: "rows" }, app.basket.map((p) => element("li", {}, p.name, element("span", {}, `€ ${p.price}`)))),
    button(`Pay € ${total}`, "checkout", () => act({ do: "checkout" }), { class: "strong" }),
  ];
}

function inbox(app, view, act) {
  return [
    element("h3", {}, "Inbox"),
    button("Refresh", "refresh", () => act({ do: "refreshInbox" }), { class: "quiet" }),
    app.messages.length
      ? element("ul", { class: "mail" }, app.messages.map((m) => element("li", { class: m.isUnread ? "unread" : "" },
        button([
          element("span", { class: "dot", "aria-label": m.isUnread ? "Unread" : "Read", role: "img" }),
          element("span", { class: "words" }, element("strong", {}, m.subject), element("span", {}, m.text)),
          element("span", { class: "when" }, time(m.at)),
        ], `mail-${m.id}`, () => act({ do: "message", name: m.id })))))
      : element("p", { class: "empty" }, "There is nothing here yet."),
  ];
}

function messagePage(open, act, number) {
  return [
    button("Back", "back", () => act({ do: "closeMessage" }), { class: "quiet" }),
    element("h3", {}, open.message.subject),
    open.hasPage ? element("iframe", {
      class: "rich", sandbox: "allow-scripts", title: open.message.subject, src: `/phone/${number}/message?${encodeURIComponent(open.message.id)}`,
    }) : element("p", {}, open.message.text),
    button("Delete", "delete", () => act({ do: "deleteMessage", name: open.message.id }), { class: "quiet" }),
  ];
}

function linkPage(app, act) {
  return [
    element("h3", {}, "The app opens"), element("p", { class: "link" }, app.link),
    button("Done", "done", () => act({ do: "closeLink" }), { class: "strong" }),
  ];
}

function profile(app, view, act) {
  const city = element("input", { id: "city", value: app.attributes.city ?? "", maxlength: "80", data: { key: "city" } });
  return [
    element("h3", {}, "Profile"),
    app.person
      ? [element("p", {}, `You are logged in as ${app.person}.`), button("Log out", "logout", () => act({ do: "logout" }))]
      : [element("p", {}, "Nobody is logged in."),
        element("div", { class: "two" }, ["ann", "ben"].map((name) =>
          button(`Log in as ${name[0].toUpperCase()}${name.slice(1)}`, `login-${name}`, () => act({ do: "login", name }))))],
    element("form", { class: "field" }, element("label", { for: "city" }, "City"), city,
      button("Save", "save-city", () => act({ do: "attribute", name: "city", value: city.value }))),
    toggle("Notifications of this app", app.pushEnabled, "push", (on) => act({ do: "pushSwitch", on })),
    toggle("Sports", app.tags.includes("sports"), "sports", (on) => act({ do: "tag", value: "sports", on })),
    button("Set the badge to 0", "badge", () => act({ do: "resetBadge" }), { class: "quiet" }),
  ];
}

export function toggle(label, isOn, key, change) {
  return button([label, element("span", { class: "knob", "aria-hidden": "true" })], key, () => change(!isOn),
    { class: "toggle", role: "switch", "aria-checked": String(isOn) });
}

function pageFrame(number, page, title, kind) {
  return element("iframe", {
    class: kind, sandbox: "allow-scripts", title, src: `/phone/${number}/pages/${page}`, data: { page: String(page) },
  });
}

// A page is loaded before it is shown, and stays the same frame until it is gone.
function showOverlay(overlay, number) {
  const place = document.getElementById("overlay");
  const frame = place.querySelector("iframe");
  if (!overlay) {
    place.replaceChildren();
    place.className = "overlay";
    return;
  }
  if (frame?.dataset.page !== String(overlay.page)) {
    place.replaceChildren(pageFrame(number, overlay.page, "In-app message", "message"));
  }
  place.className = `overlay ${overlay.type} ${overlay.isShown ? "shown" : "loading"}`;
}
