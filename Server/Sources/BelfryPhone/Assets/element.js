// Builds elements: texts are always texts, never markup.
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "press") made.addEventListener("click", value);
    else if (key === "class") made.className = value;
    else if (key === "data") for (const [part, text] of Object.entries(value)) made.dataset[part] = text;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Fills a place anew when what it shows has changed, and keeps the focus on the control of the same name.
export function fill(place, shown, make) {
  const text = JSON.stringify(shown ?? null);
  if (place.dataset.shown === text) return false;
  place.dataset.shown = text;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  place.replaceChildren(...[make()].flat(Infinity).filter(Boolean));
  if (focused) place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  return true;
}

// A button; its key is its name for the focus.
export function button(label, key, press, properties = {}) {
  return element("button", { type: "button", press, data: { key }, ...properties }, label);
}

export function time(text, locale) {
  const date = new Date(text);
  return isNaN(date) ? "" : date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hour12: false });
}
