// Parts of pages that the console is asked for, and what puts them in their place.

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
  // A session that has ended leads to the sign-in, whose page is no part of this one. What is typed here stays.
  if (!response.ok || response.redirected) throw new Error(`The console answered ${response.status}.`);
  return response.text();
}
