// The phone's own screens: status bar, lock screen, home screen, notifications, the question for permission, and
// everything that covers the app.
import { element, fill, button, icon } from "./element.js";
import { shop, pageFrame } from "./app.js";

export function showPhone(view, act, number) {
  const frame = document.getElementById("frame");
  frame.dataset.scheme = view.isDark ? "dark" : "light";
  frame.dataset.text = view.hasLargeText ? "large" : "standard";
  frame.dataset.place = view.place;
  const minute = view.now.slice(0, 16);
  fill(document.getElementById("status"), [minute, view.isOnline, view.timeZone, view.place], () => statusBar(view));
  const shown = view.place === "app" ? [view.place, view.process, view.permission, view.app, view.locale]
    : [view.place, view.badge, view.notifications, view.permission, minute, view.locale, view.timeZone, [...open], [...expanded]];
  fill(document.getElementById("screen"), shown, () => {
    if (view.place === "lockScreen") return lockScreen(view, act);
    if (view.place === "homeScreen" || !view.app) return homeScreen(view, act);
    return shop(view.app, view, act, number);
  });
  // A banner that the person has expanded stays until they close it.
  if (view.banner || !(held && expanded.has(held.id))) held = view.banner;
  const banner = view.place === "app" ? held : null;
  fill(document.getElementById("banner"), [banner, banner && expanded.has(banner.id)], () => banner ? notification(banner, view, act, true) : []);
  const sheet = document.getElementById("sheet");
  if (fill(sheet, view.isAsking, () => view.isAsking ? permissionSheet(act) : [])) sheet.firstElementChild?.focus();
  showOverlay(view.overlay, number, view.place === "app");
  const bar = document.getElementById("bar");
  bar.setAttribute("aria-label", view.place === "lockScreen" ? "Open the phone (bar)" : "Go to the home screen");
}

function statusBar(view) {
  return [
    element("span", { class: "clock" }, view.place === "lockScreen" ? "Belfry" : clock(view)),
    element("span", { class: "signs" },
      view.isOnline ? [icon("signal"), icon("wifi")] : icon("airplane", "Airplane mode"),
      icon("battery")),
  ];
}

function clock(view) {
  return inZone(view, (zone) => new Date(view.now).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...zone }));
}

function day(view) {
  const options = { weekday: "long", day: "numeric", month: "long" };
  try {
    return inZone(view, (zone) => new Date(view.now).toLocaleDateString(view.locale, { ...options, ...zone }));
  } catch {
    return new Date(view.now).toLocaleDateString("en-GB", options);
  }
}

// Formats a time in the phone's time zone, or in the browser's if the browser does not know that zone.
function inZone(view, make) {
  try {
    return make({ timeZone: view.timeZone });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return make({});
  }
}

function lockScreen(view, act) {
  return element("div", { class: "lock" },
    icon("lock"),
    element("p", { class: "day", lang: view.locale }, day(view)),
    element("p", { class: "big-clock" }, clock(view)),
    element("div", { class: "notifications", role: "list", "aria-label": "Notifications", tabindex: view.notifications.length > 3 ? "0" : null },
      groups(view.notifications).map((group) => stack(group, view, act))),
    button("Open the phone", "unlock", () => act({ do: "unlock" }), { class: "unlock" }));
}

// Groups notifications by thread, as iOS does: the newest is on top.
function groups(notifications) {
  const groups = new Map();
  for (const one of notifications) {
    if (!groups.has(one.thread)) groups.set(one.thread, []);
    groups.get(one.thread).push(one);
  }
  return [...groups.values()];
}

let held = null;

// The groups (by thread) and notifications (by id) that the person has expanded on this screen.
const open = new Set();
const expanded = new Set();

function toggle(set, key, act) {
  set.has(key) ? set.delete(key) : set.add(key);
  act(null);
}

function stack(group, view, act) {
  const [top, ...rest] = group;
  if (!rest.length) return element("div", { class: "group", role: "listitem" }, notification(top, view, act));
  const isOpen = open.has(top.thread);
  const more = button(isOpen ? "Show less" : `${rest.length} more`, `more-${top.thread}`, () => toggle(open, top.thread, act),
    { class: "more", "aria-expanded": String(isOpen) });
  return element("div", { class: `group ${isOpen ? "open" : "stacked"}`, role: "listitem" },
    isOpen ? [more, group.map((one) => notification(one, view, act))] : [notification(top, view, act), more]);
}

// A notification. A tap opens it, a swipe to the left clears it, a long press shows its picture and buttons. Keys:
// Enter, Delete, and the button at its edge.
function notification(one, view, act, isBanner = false) {
  const label = [one.title, one.subtitle, one.body].filter(Boolean).join(". ");
  const isLarge = expanded.has(one.id);
  const done = (action) => {
    expanded.delete(one.id);
    act(action);
    if (isBanner) act(null);
  };
  const clear = () => done(isBanner ? { do: "dismissBanner" } : { do: "dismiss", number: one.id });
  const face = button([
    element("span", { class: "app-icon small", "aria-hidden": "true" }, icon("bag")),
    element("span", { class: "words" },
      element("span", { class: "title" }, one.title ?? "Shop"),
      one.subtitle && element("span", { class: "subtitle" }, one.subtitle),
      element("span", { class: "body" }, one.body ?? "")),
    element("span", { class: "when" }, ago(one, view)),
    one.image && !isLarge ? picture(one, "thumb") : null,
  ], `tap-${one.id}`, () => done({ do: "tap", number: one.id }), { class: "face", "aria-label": `Open: ${label}` });
  const card = element("article", { class: `note${isBanner ? " in-app" : ""}${isLarge ? " large" : ""}` },
    face,
    button(icon(isLarge ? "less" : "more"), `expand-${one.id}`, () => toggle(expanded, one.id, act),
      { class: "expand", "aria-expanded": String(isLarge), "aria-label": `Picture and buttons of: ${label}` }),
    isLarge ? [
      one.image && picture(one, "picture-of"),
      element("div", { class: "choices" },
        one.buttons.map((b) => button(b.text, `button-${one.id}-${b.id}`, () => done({ do: "tap", number: one.id, name: b.id }))),
        button(isBanner ? "Hide" : "Clear", `clear-${one.id}`, clear, { "aria-label": isBanner ? `Hide: ${label}` : `Clear: ${label}` })),
    ] : null);
  hold(card, face, clear, () => isLarge || toggle(expanded, one.id, act));
  return card;
}

// A picture that cannot be loaded is removed, as on a phone.
function picture(one, kind) {
  const made = element("img", { class: kind, src: one.image, alt: "" });
  made.addEventListener("error", () => made.remove());
  return made;
}

// Handles long press and swipe.
function hold(card, face, clear, enlarge) {
  let from = null;
  let timer = 0;
  let isHeld = false;
  face.addEventListener("pointerdown", (event) => {
    from = event.clientX;
    isHeld = false;
    timer = setTimeout(() => {
      isHeld = true;
      enlarge();
    }, 500);
  });
  face.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const moved = Math.min(0, event.clientX - from);
    if (moved < -8) {
      clearTimeout(timer);
      isHeld = true;
      face.setPointerCapture(event.pointerId);
    }
    if (isHeld) card.style.translate = `${moved}px 0`;
  });
  const end = (event) => {
    clearTimeout(timer);
    const moved = from === null ? 0 : event.clientX - from;
    from = null;
    card.style.translate = "";
    if (event.type === "pointerup" && moved < -90) clear();
  };
  face.addEventListener("pointerup", end);
  face.addEventListener("pointercancel", end);
  face.addEventListener("click", (event) => {
    if (isHeld) event.stopImmediatePropagation();
    isHeld = false;
  }, { capture: true });
  face.addEventListener("keydown", (event) => {
    if (event.key === "Delete" || event.key === "Backspace") clear();
  });
}

// The age of a notification. Its time is real time, and the phone's clock may be wrong.
function ago(one, view) {
  const minutes = Math.floor((new Date(view.now) - view.clockOffset * 1_000 - new Date(one.at)) / 60_000);
  if (!(minutes >= 1)) return "now";
  return minutes < 60 ? `${minutes}m ago` : minutes < 1_440 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 1_440)}d ago`;
}

const others = ["calendar", "photos", "maps", "weather", "notes", "music", "clock"];
const dock = ["phone", "mail", "browser", "messages"];

function homeScreen(view, act) {
  const name = view.badge ? `Shop, ${view.badge} new` : "Shop";
  const other = (one) => element("span", { class: "launcher", "aria-hidden": "true" }, element("span", { class: `app-icon ${one}` }, icon(one)),
    element("span", { class: "app-name" }, one[0].toUpperCase() + one.slice(1)));
  return element("div", { class: "springboard" },
    element("div", { class: "grid" },
      button([
        element("span", { class: "app-icon", "aria-hidden": "true" }, icon("bag"),
          view.badge ? element("span", { class: "badge" }, String(view.badge)) : null),
        element("span", { class: "app-name", "aria-hidden": "true" }, "Shop"),
      ], "open-app", () => act({ do: "open" }), { class: "launcher", "aria-label": name }),
      others.map(other)),
    view.notifications.length
      ? button(`${view.notifications.length} on the lock screen`, "to-lock", () => act({ do: "lock" }), { class: "pill" })
      : null,
    element("div", { class: "dock", "aria-hidden": "true" }, dock.map(other)));
}

function permissionSheet(act) {
  return element("div", { class: "alert", role: "alertdialog", tabindex: "-1", "aria-labelledby": "ask-title", "aria-describedby": "ask-text" },
    element("h3", { id: "ask-title" }, "“Shop” Would Like to Send You Notifications"),
    element("p", { id: "ask-text" }, "Notifications may include alerts, sounds and icon badges. These can be configured in Settings."),
    element("div", { class: "answers" },
      button("Don’t Allow", "deny", () => act({ do: "answer", on: false })),
      button("Allow", "allow", () => act({ do: "answer", on: true }), { class: "strong" })));
}

// Shows an in-app page over the app. The page loads before it is shown, keeps its frame until it is removed, and is
// visible only in the app.
export function showOverlay(overlay, number, isAppShown) {
  const place = document.getElementById("overlay");
  const frame = place.querySelector("iframe");
  if (!overlay) {
    if (frame) place.replaceChildren();
    place.className = "overlay";
    return;
  }
  if (frame?.dataset.page !== String(overlay.page)) {
    place.replaceChildren(pageFrame(number, overlay.page, "In-app message", "message"));
  }
  place.className = `overlay ${overlay.type} ${overlay.isShown && isAppShown ? "shown" : "hidden"}`;
}
