// The console's scripts: each part of a page that does more with them names what it wants by data attributes. Without
// them, pages are read and forms are sent as ever.

import { fragment, replace } from "./parts.js";
import "./keys.js";
import "./compose.js";
import "./tables.js";
import "./leaving.js";
import "./live.js";

export { formToken, fragment, replace } from "./parts.js";

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

// The welcome page of the demonstration sends its form by itself.
document.querySelector("form[data-submit-now]")?.requestSubmit();

// A form whose answer is shown once is sent once: <form data-once>. A second press would take the answer to the first away.
addEventListener("submit", (event) => {
  const { dataset } = event.target;
  if (event.defaultPrevented || !("once" in dataset)) return;
  if (dataset.once) event.preventDefault();
  else dataset.once = "sent";
});
// Who comes back to the page may send it again.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.querySelectorAll("form[data-once]")) form.dataset.once = "";
});

// A question before what cannot be undone: <button data-confirm="SENTENCE">. Without scripts its formaction, if it has
// one, leads to a page that asks; what was answered here is not asked there once more.
addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-confirm]");
  if (!button) return;
  if (confirm(button.dataset.confirm)) button.removeAttribute("formaction");
  else event.preventDefault();
});
