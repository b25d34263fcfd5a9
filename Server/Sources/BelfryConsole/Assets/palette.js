// The command palette: a dialog with a list of results for the typed text (ARIA combobox). Without scripts its button
// is a link to the search page.
import { fragment, replace } from "./parts.js";

const dialog = document.querySelector("#palette");
const input = document.querySelector("#palette-input");
const list = document.querySelector("#palette-list");
let chosen = -1, timer, flight;

export function openPalette() {
  if (!dialog || dialog.open) return;
  dialog.showModal();
  input.value = "";
  find();
}

const options = () => [...list.querySelectorAll("[data-address]")];

function choose(index) {
  const all = options();
  chosen = all.length ? (index + all.length) % all.length : -1;
  all.forEach((option, at) => option.setAttribute("aria-selected", String(at === chosen)));
  const option = all[chosen];
  if (option) input.setAttribute("aria-activedescendant", option.id);
  else input.removeAttribute("aria-activedescendant");
  option?.scrollIntoView({ block: "nearest" });
}

async function find() {
  flight?.abort();
  flight = new AbortController();
  try {
    const address = `${dialog.dataset.search}?q=${encodeURIComponent(input.value.trim())}`;
    replace(list, await fragment(address, null, flight.signal));
    choose(0);
  } catch (error) {
    if (error.name === "AbortError") return;
    const line = document.createElement("li");
    line.textContent = "The search does not respond. If your session has ended, sign in again in another tab.";
    for (const [name, value] of [["role", "option"], ["aria-disabled", "true"], ["aria-selected", "false"]]) {
      line.setAttribute(name, value);
    }
    list.replaceChildren(line);
    choose(-1);
  }
}

const go = (option) => { if (option) location.assign(option.dataset.address); };

if (dialog) {
  for (const link of document.querySelectorAll("[data-palette]")) {
    link.addEventListener("click", (event) => { event.preventDefault(); openPalette(); });
  }
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(find, 120); });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); choose(chosen + step); }
    else if (event.key === "Enter") { event.preventDefault(); go(options()[chosen]); }
  });
  list.addEventListener("click", (event) => go(event.target.closest("[data-address]")));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
}
