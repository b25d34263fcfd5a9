// Parts of pages that the console is asked for, and what puts them in their place.

// Fragments come from the console itself, whose templates escape every value; no other text becomes markup.
const policy = globalThis.trustedTypes?.createPolicy("belfry", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

export const formToken = () => document.querySelector('meta[name="form-token"]')?.content ?? "";

function made(html) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  return template.content;
}

export const replace = (element, html) => element.replaceChildren(made(html));

// What people and scripts do to an element that the console has made.
const ours = ["open", "tabindex", "data-watched"];

// An element as the console says it, without what is in it. A button is the words on it, too: under the hand it never
// becomes another one.
function shell(element) {
  const copy = element.cloneNode(element.nodeName === "BUTTON");
  for (const name of ours) copy.removeAttribute(name);
  return copy;
}

const isLike = (one, other) => one.nodeName === other.nodeName && shell(one).isEqualNode(shell(other));

function drop(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function merge(place, fresh) {
  let at = place.firstChild;
  for (const node of [...fresh.childNodes]) {
    const isElement = node.nodeType === Node.ELEMENT_NODE;
    let same = at;
    if (isElement) while (same && !isLike(same, node)) same = same.nextSibling;
    else if (same?.nodeType !== node.nodeType) same = null;
    if (!same) {
      place.insertBefore(node, at);
      continue;
    }
    while (at !== same) at = drop(at);
    if (isElement) merge(same, node);
    else if (same.data !== node.data) same.data = node.data;
    at = same.nextSibling;
  }
  while (at) at = drop(at);
}

/** The same for a part that somebody may be at: what has not changed stays as it is, with the focus, an open table, a
 *  press that has begun. */
export function renew(element, html) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  merge(element, made(html));
  // Whoever uses keys is not left nowhere when what they were at is gone.
  if (focused && !element.contains(focused)) {
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  }
}

/** Asks the console for a part of a page. */
export async function fragment(address, form, signal) {
  const init = { headers: { "X-Belfry-Fragment": "1" }, signal, credentials: "same-origin" };
  if (form) {
    form.set("formToken", formToken());
    Object.assign(init, { method: "POST", body: new URLSearchParams(form) });
  }
  const response = await fetch(address, init);
  // A session that has ended leads to the sign-in, whose page is no part of this one. What is typed here stays.
  if (!response.ok || response.redirected) throw new Error(`The console answered ${response.status}.`);
  return response.text();
}
