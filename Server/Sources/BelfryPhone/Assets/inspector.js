// Shows the SDK's state and the reasons for it.
import { element, fill, button, time } from "./element.js";
import { toggle } from "./app.js";

export function showControls(view, act) {
  const shown = [view.process, view.permission, view.isOnline, view.clockOffset, view.locale, view.timeZone, view.isDark,
    view.hasLargeText, view.place];
  fill(document.getElementById("controls"), shown, () => [
    row("The app",
      button("Open", "c-open", () => act({ do: "open" })),
      button("Send to the background", "c-home", () => act({ do: "home" })),
      button("Lock the phone", "c-lock", () => act({ do: "lock" })),
      button("Kill", "c-kill", () => act({ do: "kill" })),
      button("Reinstall", "c-reinstall", () => act({ do: "reinstall" }))),
    row("The network",
      toggle("Airplane mode", !view.isOnline, "c-air", (on) => act({ do: "airplane", on }))),
    row("The clock",
      choice("Clock", "c-clock", [[-86400, "a day behind"], [-7200, "2 h behind"], [0, "right"], [7200, "2 h ahead"], [86400, "a day ahead"], [604800, "a week ahead"]],
        view.clockOffset, (value) => act({ do: "clock", seconds: Number(value) })),
      choice("Time zone", "c-zone", ["Europe/London", "Europe/Paris", "America/New_York", "America/Los_Angeles", "Asia/Tokyo"].map((z) => [z, z]),
        view.timeZone, (value) => act({ do: "timeZone", value })),
      choice("Language", "c-locale", [["en-GB", "English"], ["de-DE", "Deutsch"], ["fr-FR", "Français"], ["ar-EG", "العربية"], ["ja-JP", "日本語"]],
        view.locale, (value) => act({ do: "locale", value }))),
    row("Notifications",
      toggle("Allowed in the settings", view.permission === "granted", "c-allow", (on) => act({ do: "setting", on })),
      button("Lose the push token", "c-token", () => act({ do: "tokenLost" }))),
    row("The screen",
      toggle("Dark", view.isDark, "c-dark", (on) => act({ do: "dark", on })),
      toggle("Large text", view.hasLargeText, "c-large", (on) => act({ do: "largeText", on }))),
    row("Any event", eventForm(act), button("Send all now", "c-flush", () => act({ do: "flush" }))),
    row("The person’s data",
      button("Wipe", "c-wipe", () => act({ do: "wipe" })),
      button("Start again after an erasure", "c-restart", () => act({ do: "restart" }))),
  ]);
}

function row(title, ...children) {
  return element("fieldset", {}, element("legend", {}, title), element("div", { class: "row" }, children));
}

function choice(label, key, values, chosen, change) {
  const select = element("select", { data: { key } },
    values.map(([value, name]) => element("option", { value: String(value), selected: String(value) === String(chosen) }, name)));
  select.addEventListener("change", () => change(select.value));
  return element("label", { class: "choice" }, label, select);
}

function eventForm(act) {
  const name = element("input", { maxlength: "128", placeholder: "newsletter:read", data: { key: "c-event" } });
  const form = element("form", { class: "field" }, element("label", {}, "Name ", name),
    element("button", { type: "submit", data: { key: "c-track" } }, "Track"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act({ do: "track", name: name.value });
  });
  return form;
}

export function showInspector(inspector) {
  fill(document.getElementById("sections"), inspector.sections, () => inspector.sections.map((section) =>
    element("section", { class: "part" }, element("h3", {}, section.title),
      section.lines.map((line, index) => element("p", { class: index ? null : "first" }, line)))));
  fill(document.getElementById("messages"), inspector.inApp, () => inspector.inApp.length
    ? element("ul", { class: "in-app" }, inspector.inApp.map((m) => element("li", {},
      element("strong", {}, `${m.type} (campaign ${m.campaign})`),
      element("span", {}, `Shown ${m.trigger}, ${m.displays}.`), element("span", {}, m.terms.join(" ")),
      element("span", {}, m.decision))))
    : element("p", { class: "empty" }, "There is none. Publish one on the console, and open the app again."));
}

// Identifies the newest entry of a list. The number alone is not enough: a restarted phones' program counts from 1
// again.
function newest(list) {
  return list.length ? [list[0].number, list[0].at] : [];
}

export function showLines(lines) {
  fill(document.getElementById("log"), newest(lines), () => lines.map((line) =>
    element("li", { class: line.kind }, element("time", { datetime: line.at }, time(line.at, "2-digit")), element("span", {}, line.text))));
}

export function showExchanges(exchanges) {
  const place = document.getElementById("exchanges");
  const open = new Set([...place.querySelectorAll("details[open]")].map((one) => one.dataset.key));
  fill(place, newest(exchanges), () => exchanges.length
    ? element("div", { class: "all", tabindex: "0", role: "group", "aria-label": "Requests" }, exchanges.map((one) => exchange(one, open.has(String(one.number)))))
    : element("p", { class: "empty" }, "Nothing has been sent yet."));
}

function exchange(one, isOpen) {
  return element("details", { open: isOpen, data: { key: String(one.number) } },
    element("summary", {},
      element("time", { datetime: one.at }, time(one.at, "2-digit")), " ",
      element("code", {}, one.method), " ", element("code", { class: "path" }, one.path), " ",
      element("span", { class: one.status && one.status < 400 ? "good" : "bad" }, one.status ? String(one.status) : "no response"),
      ` ${one.milliseconds} ms`),
    one.failure ? element("p", {}, one.failure) : null,
    one.sent ? [element("h4", {}, "Sent"), element("pre", { tabindex: "0" }, one.sent)] : null,
    one.received ? [element("h4", {}, "Received"), element("pre", { tabindex: "0" }, one.received)] : null);
}
