// Builds elements. Texts are always inserted as text, never as markup.
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

// Fills a place again if its state has changed. The focus stays on the control with the same key, together with its
// typed text. If that control no longer exists, the focus moves to the control that it names as `next`, or else to the
// first one. The scroll position of the same page stays, too.
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
    // A person with a keyboard keeps a focus when the pressed control is removed.
    (same ?? named(focused.dataset.next) ?? place.querySelector("[data-key]"))?.focus({ preventScroll: true });
  }
  return true;
}

// Replaces the content of a place. A frame that is shown before and after is moved instead of reloaded, where the
// browser can do that.
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

// A button. Its key identifies it for the focus.
export function button(label, key, press, properties = {}) {
  return element("button", { type: "button", press, data: { key }, ...properties }, label);
}

// An icon of the style sheet. Without a label it is only decoration.
export function icon(name, label) {
  return element("span", label ? { class: `icon ${name}`, role: "img", "aria-label": label } : { class: `icon ${name}`, "aria-hidden": "true" });
}

export function time(text, second) {
  const date = new Date(text);
  return isNaN(date) ? "" : date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second });
}
