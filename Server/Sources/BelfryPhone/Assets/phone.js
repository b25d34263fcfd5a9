// Shows a phone as the server describes it, and sends the person's actions.
import { element } from "./element.js";
import { follow } from "./live.js";
import { showPhone } from "./system.js";
import { showControls, showInspector, showLines, showExchanges } from "./inspector.js";

const number = Number(location.pathname.split("/")[2] ?? 1) || 1;
const most = { phones: 20, lines: 150, exchanges: 60 };
// The seconds for which an action waits for its response.
const patience = 10;
const connection = document.getElementById("connection");
let newest = null;
let lines = [];
let exchanges = [];

document.title = `Phone ${number} · Belfry`;
document.getElementById("title").textContent = `Phone ${number}`;
const offered = Math.min(most.phones, Math.max(3, number + 1));
document.getElementById("phones").append(...Array.from({ length: offered }, (_, index) => index + 1).map((one) =>
  element("a", { href: `/phone/${one}`, "aria-label": `Phone ${one}`, "aria-current": one === number ? "page" : null }, String(one))));

// Sends actions one after the other: the server could handle two parallel requests in the wrong order.
let taken = Promise.resolve();

function act(action) {
  if (action === null) return newest && show();
  taken = taken.then(() => post(action));
  if (action.do !== "page") use();
}

async function post(action) {
  try {
    const response = await fetch(`/phone/${number}/actions`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(action),
      signal: AbortSignal.timeout(patience * 1_000),
    });
    if (response.ok) return say("press", "");
    const { error } = await response.json().catch(() => ({}));
    say("press", `The phone did not take that. ${error?.message ?? `Its program answered with status ${response.status}.`}`);
  } catch (error) {
    say("press", error instanceof TypeError
      ? "The phone’s program does not answer. What you did has not reached it."
      : `The phone’s program has not answered for ${patience} seconds. What you did may still happen.`);
  }
}

// Sentences on the last action, on the stream, and on the turns of pages; the first one that is not empty is shown.
const said = { press: "", stream: "", turns: "" };

function say(of, text) {
  said[of] = text;
  const shown = said.press || said.stream || said.turns;
  if (connection.textContent !== shown) connection.textContent = shown;
  connection.className = said.press || said.stream ? "trouble" : "";
  document.getElementById("frame").classList.toggle("gone", Boolean(said.stream));
}

function show() {
  showPhone(newest, act, number);
  showControls(newest, act);
}

document.getElementById("bar").addEventListener("click", () => act({ do: newest?.place === "lockScreen" ? "unlock" : "home" }));

// Receives the messages that the phone's framed pages post.
window.addEventListener("message", (event) => {
  const text = event.data?.belfry;
  if (typeof text !== "string") return;
  for (const frame of document.querySelectorAll("iframe[data-page]")) {
    if (frame.contentWindow !== event.source) continue;
    fit(frame, text);
    act({ do: "page", number: Number(frame.dataset.page), value: text });
  }
});

// Sets the height of a banner or inline message to the height of its content.
function fit(frame, text) {
  try {
    const command = JSON.parse(text);
    if (command.command === "resized" && command.height > 0) {
      frame.style.height = `${Math.min(Math.ceil(command.height), frame.classList.contains("inline") ? 700 : 420)}px`;
    }
  } catch {
    // The text is not a command of a page; the phone ignores it, too.
  }
}

// Adds new entries to a list, which is as long as the phone's own list at most.
function grow(list, added, bound) {
  return [...added, ...list].slice(0, bound);
}

const use = follow(`/phone/${number}/live`, number, {
  opened() {
    // The stream sends the whole state again.
    lines = [];
    exchanges = [];
    say("press", "");
    say("stream", "");
  },
  failed() {
    say("stream", "The phone’s program does not answer. The page tries again by itself.");
  },
  shares(isShared) {
    say("turns", isShared ? "A browser shows four phones at a time as they are. This one takes turns with the others." : "");
  },
  takes: {
    phone(view) {
      newest = view;
      show();
    },
    inspector(inspector) {
      showInspector(inspector);
      // This event is the last one of the initial state, so lists that have not come by now are empty.
      showLines(lines);
      showExchanges(exchanges);
    },
    lines(added) {
      lines = grow(lines, added, most.lines);
      showLines(lines);
    },
    exchanges(added) {
      exchanges = grow(exchanges, added, most.exchanges);
      showExchanges(exchanges);
    },
  },
});
