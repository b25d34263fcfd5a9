// Shows one phone as the server describes it, and sends what the person does with it.
import { element } from "./element.js";
import { showPhone } from "./app.js";
import { showControls, showInspector } from "./inspector.js";

const number = Number(location.pathname.split("/")[2] ?? 1) || 1;
const connection = document.getElementById("connection");
let newest = null;

document.title = `Phone ${number} · Belfry`;
document.getElementById("title").textContent = `Phone ${number}`;
document.getElementById("phones").append(...[1, 2, 3].map((one) =>
  element("a", { href: `/phone/${one}`, "aria-current": one === number ? "page" : null }, `Phone ${one}`)));

async function act(action) {
  if (action === null) return show(newest);
  try {
    const response = await fetch(`/phone/${number}/actions`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(action),
    });
    if (!response.ok) say(`The phone did not take that (${response.status}).`);
  } catch {
    say("The phone’s program does not answer.");
  }
}

function say(text) {
  connection.textContent = text;
  connection.className = text ? "trouble" : "";
}

function show(view) {
  newest = view;
  showPhone(view, act, number);
  showControls(view, act);
  showInspector(view.inspector);
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
      frame.height = String(Math.min(Math.ceil(command.height), 700));
    }
  } catch {
    // Not a command of a page; the phone ignores it, too.
  }
}

const source = new EventSource(`/phone/${number}/live`);
source.addEventListener("open", () => say(""));
source.addEventListener("error", () => say("The phone’s program does not answer. The page tries again."));
source.addEventListener("message", (event) => {
  say("");
  show(JSON.parse(event.data));
});
