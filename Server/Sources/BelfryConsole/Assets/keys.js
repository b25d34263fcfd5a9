// Keyboard shortcuts: g and a letter open a page, / and Ctrl or Cmd with K search, n starts something new on the page,
// ? lists the shortcuts. They never act in fields, and single keys can be switched off in that list (WCAG 2.1.4).
import { openPalette } from "./palette.js";

const sheet = document.querySelector("#keys");
const toggle = document.querySelector("#keys-on");
const stored = "belfry-keys";
const areOn = () => { try { return localStorage.getItem(stored) !== "off"; } catch { return true; } };

if (toggle) {
  toggle.checked = areOn();
  toggle.addEventListener("change", () => {
    try { localStorage.setItem(stored, toggle.checked ? "on" : "off"); } catch { /* The choice is not kept. */ }
  });
  for (const button of document.querySelectorAll("[data-keys]")) {
    button.hidden = false;
    button.addEventListener("click", () => sheet.showModal());
  }
  sheet.addEventListener("click", (event) => {
    if (event.target === sheet || event.target.closest("[data-close]")) sheet.close();
  });
}

const fields = "input, textarea, select, dialog, [contenteditable], [role='textbox'], [role='combobox']";
let went = 0;
addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.repeat || event.target.closest?.(fields)) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return openPalette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !areOn()) return;
  const goes = Date.now() - went < 1500;
  went = 0;
  if (goes) {
    const place = document.querySelector(`.nav [data-key="${CSS.escape(event.key)}"]`);
    if (place) { event.preventDefault(); place.click(); }
  } else if (event.key === "g") went = Date.now();
  else if (event.key === "/") { event.preventDefault(); openPalette(); }
  else if (event.key === "n") document.querySelector("[data-new]")?.click();
  else if (event.key === "?" && sheet) { event.preventDefault(); sheet.showModal(); }
});
