// Shows one phone as the server describes it, and sends what the person does with it.
import { element } from "./element.js";
import { showPhone, showOverlay } from "./system.js";
import { showControls, showInspector, showLines, showExchanges } from "./inspector.js";

const number = Number(location.pathname.split("/")[2] ?? 1) || 1;
const most = { phones: 20, lines: 150, exchanges: 60 };
const connection = document.getElementById("connection");
let newest = null;
let lines = [];
let exchanges = [];

document.title = `Phone ${number} · Belfry`;
document.getElementById("title").textContent = `Phone ${number}`;
const offered = Math.min(most.phones, Math.max(3, number + 1));
document.getElementById("phones").append(...Array.from({ length: offered }, (_, index) => index + 1).map((one) =>
  element("a", { href: `/phone/${one}`, "aria-label": `Phone ${one}`, "aria-current": one === number ? "page" : null }, String(one))));

// One after the other: of two requests at once the phone's program may take the second first.
let taken = Promise.resolve();

function act(action) {
  if (action === null) return newest && show();
  taken = taken.then(() => post(action));
}

async function post(action) {
  try {
    const response = await fetch(`/phone/${number}/actions`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(action),
    });
    if (!response.ok) say(`The phone did not take that (${response.status}).`);
  } catch {
    say("The phone’s program does not answer. What you did has not reached it.");
  }
}

function say(text) {
  if (connection.textContent !== text) connection.textContent = text;
  connection.className = text ? "trouble" : "";
  document.getElementById("frame").classList.toggle("gone", Boolean(text) && source?.readyState !== EventSource.OPEN);
}

function show() {
  showPhone(newest, act, number);
  showControls(newest, act);
}

document.getElementById("bar").addEventListener("click", () => act({ do: newest?.place === "lockScreen" ? "unlock" : "home" }));

// Posts of the pages that the phone shows in frames.
window.addEventListener("message", (event) => {
  const text = event.data?.belfry;
  if (typeof text !== "string") return;
  for (const frame of document.querySelectorAll("iframe[data-page]")) {
    if (frame.contentWindow !== event.source) continue;
    fit(frame, text);
    act({ do: "page", number: Number(frame.dataset.page), value: text });
  }
});

// The height of a banner or an inline message is that of its content.
function fit(frame, text) {
  try {
    const command = JSON.parse(text);
    if (command.command === "resized" && command.height > 0) {
      frame.style.height = `${Math.min(Math.ceil(command.height), frame.classList.contains("inline") ? 700 : 420)}px`;
    }
  } catch {
    // Not a command of a page; the phone ignores it, too.
  }
}

// What is new of a list that the page keeps, bounded as the phone's own.
function grow(list, added, bound) {
  return [...added, ...list].slice(0, bound);
}

let source = null;

function connect() {
  source = new EventSource(`/phone/${number}/live`);
  source.addEventListener("open", () => {
    // All of it comes again.
    lines = [];
    exchanges = [];
    say("");
  });
  source.addEventListener("error", () => {
    say("The phone’s program does not answer. The page tries again by itself.");
    // A browser gives up after an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2_000);
  });
  source.addEventListener("phone", (event) => {
    newest = JSON.parse(event.data);
    show();
  });
  source.addEventListener("inspector", (event) => showInspector(JSON.parse(event.data)));
  source.addEventListener("lines", (event) => {
    lines = grow(lines, JSON.parse(event.data), most.lines);
    showLines(lines);
  });
  source.addEventListener("exchanges", (event) => {
    exchanges = grow(exchanges, JSON.parse(event.data), most.exchanges);
    showExchanges(exchanges);
  });
}

connect();
