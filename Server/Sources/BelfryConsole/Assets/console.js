// The console's scripts: each part of a page that does more with them names what it wants by data attributes. Without
// them, pages are read and forms are sent as ever.

// Fragments come from the console itself, whose templates escape every value; no other text becomes markup.
const policy = globalThis.trustedTypes?.createPolicy("belfry", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

export const formToken = () => document.querySelector('meta[name="form-token"]')?.content ?? "";

export const replace = (element, html) => { element.innerHTML = policy.createHTML(html); };

/** Asks the console for a part of a page. */
export async function fragment(address, form, signal) {
  const init = { headers: { "X-Belfry-Fragment": "1" }, signal, credentials: "same-origin" };
  if (form) {
    form.set("formToken", formToken());
    Object.assign(init, { method: "POST", body: new URLSearchParams(form) });
  }
  const response = await fetch(address, init);
  if (response.status === 401) location.reload();
  if (!response.ok) throw new Error(`The console answered ${response.status}.`);
  return response.text();
}

// A form that shows below what its present content gives: <form data-preview="ADDRESS" data-preview-into="#ID">.
for (const form of document.querySelectorAll("form[data-preview]")) {
  let timer, flight;
  const target = document.querySelector(form.dataset.previewInto);
  const update = async () => {
    flight?.abort();
    flight = new AbortController();
    try {
      replace(target, await fragment(form.dataset.preview, new FormData(form), flight.signal));
      target.removeAttribute("data-stale");
    } catch (error) {
      if (error.name !== "AbortError") target.setAttribute("data-stale", "");
    }
  };
  const soon = () => { clearTimeout(timer); timer = setTimeout(update, 250); };
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  form.addEventListener("belfry:preview", soon);
  update();
}

// Parts that change by themselves: <div data-live="ADDRESS">; each event names the element that it replaces.
for (const element of document.querySelectorAll("[data-live]")) {
  const source = new EventSource(element.dataset.live);
  for (const part of element.querySelectorAll("[data-part]")) {
    source.addEventListener(part.dataset.part, (event) => replace(part, event.data));
  }
  source.addEventListener("end", () => source.close());
  addEventListener("pagehide", () => source.close());
}

// The welcome page of the demonstration sends its form by itself.
document.querySelector("form[data-submit-now]")?.requestSubmit();

// A question before what cannot be undone: <button data-confirm="SENTENCE">.
addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-confirm]");
  if (button && !confirm(button.dataset.confirm)) event.preventDefault();
});

// Keys: g and a letter go to a page, / asks for a page, n begins what the page offers to begin.
const typing = (target) => target.closest?.("input, textarea, select, dialog, [contenteditable]");
let goes = 0;
addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.key === "k") { event.preventDefault(); return openPalette(); }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") { event.preventDefault(); openPalette(); }
  else if (event.key === "n") document.querySelector("[data-new]")?.click();
  else if (event.key === "g") goes = Date.now();
  else if (Date.now() - goes < 1500) { goes = 0; document.querySelector(`.nav [data-key="${CSS.escape(event.key)}"]`)?.click(); }
});

// The way to a page by typing its name.
const palette = document.querySelector("#palette");
const list = document.querySelector("#palette-list");
const input = document.querySelector("#palette-input");
let found = [], chosen = 0;
for (const button of document.querySelectorAll("[data-palette]")) {
  button.hidden = false;
  button.addEventListener("click", () => openPalette());
}
function openPalette() {
  if (!palette || palette.open) return;
  palette.showModal();
  input.value = "";
  show(pages(""));
}
const pages = (text) => [...document.querySelectorAll(".nav a")]
  .map((link) => ({ title: link.textContent.trim(), kind: "Page", address: link.getAttribute("href") }))
  .filter((page) => page.title.toLowerCase().includes(text.toLowerCase()));
function show(results) {
  found = results;
  chosen = 0;
  list.replaceChildren(...results.map((result, index) => {
    const option = document.createElement("li");
    option.id = `palette-${index}`;
    option.setAttribute("role", "option");
    const title = document.createElement("span"), kind = document.createElement("span");
    title.textContent = result.title;
    kind.textContent = result.kind;
    kind.className = "soft small";
    option.append(title, kind);
    option.addEventListener("click", () => location.assign(result.address));
    return option;
  }));
  choose(0);
}
function choose(index) {
  chosen = Math.max(0, Math.min(index, found.length - 1));
  [...list.children].forEach((option, at) => option.setAttribute("aria-selected", at === chosen));
  if (found.length) input.setAttribute("aria-activedescendant", `palette-${chosen}`);
  list.children[chosen]?.scrollIntoView({ block: "nearest" });
}
input?.addEventListener("input", () => show(pages(input.value.trim())));
input?.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") { event.preventDefault(); choose(chosen + 1); }
  if (event.key === "ArrowUp") { event.preventDefault(); choose(chosen - 1); }
  if (event.key === "Enter" && found[chosen]) { event.preventDefault(); location.assign(found[chosen].address); }
});
