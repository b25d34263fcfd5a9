// Leaving a page asks first while one of its forms has what is not saved: <form data-unsaved>; one that shows from the
// beginning what was typed and could not be saved has a value there. What is sent is saved, or comes back on a page.
const forms = [...document.querySelectorAll("form[data-unsaved]")];
const question = "What you have changed on this page is not saved. Leave it?";

// A file by what tells it from another one. Where none is chosen there is one without a name, made at this moment.
const told = (value) => (value instanceof File ? value.name && [value.name, value.size, value.lastModified] : value);

// What the form would send, but for whom a preview is seen by.
function content(form) {
  const sent = [...new FormData(form)].filter(([name]) => !name.startsWith("preview"));
  return JSON.stringify(sent.map(([name, value]) => [name, told(value)]));
}

// The same as the console wrote it, whatever the browser has put in again for who comes back to the page.
function written(form) {
  const copy = form.cloneNode(true);
  copy.reset();
  return content(copy);
}

const saved = new Map(forms.map((form) => [form, form.dataset.unsaved ? null : written(form)]));
const isChanged = (form) => form.isConnected && saved.get(form) !== content(form);

// Whoever has been asked is not asked by the browser, too.
let isAnswered = false;

// Whether a press leads to another page in the place of this one.
function leads(link, event) {
  const { defaultPrevented, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (defaultPrevented || button || ctrlKey || metaKey || shiftKey || altKey) return false;
  if (link.hasAttribute("download") || !["", "_self"].includes(link.target)) return false;
  return !link.hash || link.href.split("#")[0] !== location.href.split("#")[0];
}

if (forms.length) {
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !leads(link, event) || !forms.some(isChanged)) return;
    if ("leaves" in link.dataset || confirm(question)) isAnswered = true;
    else event.preventDefault();
  });

  addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    const form = event.target;
    const others = forms.filter((other) => other !== form && isChanged(other));
    if (others.length && !confirm(question)) return event.preventDefault();
    isAnswered = others.length > 0;
    if (saved.has(form)) saved.set(form, content(form));
  });

  addEventListener("beforeunload", (event) => {
    if (!isAnswered && forms.some(isChanged)) {
      event.preventDefault();
      // Browsers that do not ask for the former ask for this.
      event.returnValue = true;
    }
    isAnswered = false;
  });
}
