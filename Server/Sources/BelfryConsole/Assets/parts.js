// Fetches parts of pages from the console, and puts them into the page.

// Only the console's own fragments become markup; its templates escape every value.
const policy = globalThis.trustedTypes?.createPolicy("belfry", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

export const formToken = () => document.querySelector('meta[name="form-token"]')?.content ?? "";

function made(html) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  return template.content;
}

export const replace = (element, html) => element.replaceChildren(made(html));

// Attributes that people and scripts change on an element from the console.
const ours = ["open", "tabindex", "data-watched"];

// The element without its content and without those attributes, for comparison. A button keeps its content: it is
// replaced instead of changed, so that it never becomes another one while somebody presses it.
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

/** Replaces the content of an element that somebody may be using: unchanged elements stay as they are, with the focus,
 *  an open table, or a press that has begun. */
export function renew(element, html) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  merge(element, made(html));
  // A person with a keyboard keeps a place in the page if the focused element was removed.
  if (focused && !element.contains(focused)) {
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  }
}

/** Fetches a part of a page from the console. Throws for an error status, and for a redirect to another page. */
export async function fragment(address, form, signal) {
  const init = { headers: { "X-Belfry-Fragment": "1" }, signal, credentials: "same-origin" };
  if (form) {
    form.set("formToken", formToken());
    Object.assign(init, { method: "POST", body: new URLSearchParams(form) });
  }
  const response = await fetch(address, init);
  // After the session has ended, the console redirects to the sign-in page, which is not a part of this page. The input
  // on this page stays.
  if (!response.ok || response.redirected) throw new Error(`The console answered ${response.status}.`);
  return response.text();
}
