// The console's scripts. Each part of a page asks for a behaviour by data attributes. Without scripts all pages can be
// read and all forms can be sent.

import { fragment, replace } from "./parts.js";
import "./keys.js";
import "./compose.js";
import "./tables.js";
import "./leaving.js";
import "./live.js";

export { formToken, fragment, replace } from "./parts.js";

// A form with a preview of its present content: <form data-preview="ADDRESS" data-preview-into="#ID">.
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

// The welcome page of the demonstration submits its form by itself.
document.querySelector("form[data-submit-now]")?.requestSubmit();

// A form that is sent only once, because its response is shown once: <form data-once>. A second press would lose the
// first response.
addEventListener("submit", (event) => {
  const { dataset } = event.target;
  if (event.defaultPrevented || !("once" in dataset)) return;
  if (dataset.once) event.preventDefault();
  else dataset.once = "sent";
});
// After the browser's back button the form can be sent again.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.querySelectorAll("form[data-once]")) form.dataset.once = "";
});

// A question before an action that cannot be undone: <button data-confirm="SENTENCE">. Without scripts the button's
// formaction, if it has one, leads to a confirmation page; with scripts the question is not repeated there.
addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-confirm]");
  if (!button) return;
  if (confirm(button.dataset.confirm)) button.removeAttribute("formaction");
  else event.preventDefault();
});
