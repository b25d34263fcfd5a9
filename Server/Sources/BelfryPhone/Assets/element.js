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

// Fills a place anew when what it shows has changed. The focus stays on the control of the same name, with what was
// typed into it; without one it goes to the control that the former names as its `next`, or to the first. The place to
// which the same page was scrolled stays, too.
export function fill(place, shown, make) {
  const text = JSON.stringify(shown ?? null);
  if (place.dataset.shown === text) return false;
  place.dataset.shown = text;
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const typed = focused?.matches("input") && focused.value !== focused.defaultValue ? focused.value : null;
  const scrolled = place.querySelector("[data-scroll]");
  const [kept, top] = [scrolled?.dataset.scroll, scrolled?.scrollTop ?? 0];
  replace(place, [make()].flat(Infinity).filter(Boolean));
  const scrolls = place.querySelector("[data-scroll]");
  if (scrolls && scrolls.dataset.scroll === kept) scrolls.scrollTop = top;
  if (focused?.dataset.key) {
    const named = (key) => key && place.querySelector(`[data-key="${CSS.escape(key)}"]`);
    const same = named(focused.dataset.key);
    if (same && typed !== null) same.value = typed;
    // Whoever uses keys is not left nowhere when the control has done its work and is gone.
    (same ?? named(focused.dataset.next) ?? place.querySelector("[data-key]"))?.focus({ preventScroll: true });
  }
  return true;
}

// A document in a frame that is shown before and after stays as it is, where the browser can move it.
function replace(place, made) {
  const former = [...place.childNodes];
  const frames = new Map([...place.querySelectorAll("iframe")].map((frame) => [frame.src, frame]));
  const holder = document.createElement("div");
  holder.append(...made);
  const stays = [];
  if (place.moveBefore) {
    for (const frame of holder.querySelectorAll("iframe")) {
      const same = frames.get(frame.src);
      if (!same) continue;
      const mark = document.createElement("span");
      frame.replaceWith(mark);
      stays.push([same, mark]);
    }
  }
  place.append(...holder.childNodes);
  for (const [frame, mark] of stays) {
    mark.parentNode.moveBefore(frame, mark);
    mark.remove();
  }
  for (const node of former) node.remove();
}

// A button; its key is its name for the focus.
export function button(label, key, press, properties = {}) {
  return element("button", { type: "button", press, data: { key }, ...properties }, label);
}

// A picture of the style sheet; without a label it only decorates.
export function icon(name, label) {
  return element("span", label ? { class: `icon ${name}`, role: "img", "aria-label": label } : { class: `icon ${name}`, "aria-hidden": "true" });
}

export function time(text, second) {
  const date = new Date(text);
  return isNaN(date) ? "" : date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second });
}
