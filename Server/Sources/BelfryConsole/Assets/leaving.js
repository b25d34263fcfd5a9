// Asks before the person leaves a page with unsaved input: <form data-unsaved>. The attribute has a value if the form
// shows input from the beginning that could not be saved. Sending a form counts as saving: refused input comes back on
// a page.
const forms = [...document.querySelectorAll("form[data-unsaved]")];
const question = "What you have changed on this page is not saved. Leave it?";

// Identifies a file for comparison. An empty field gives a nameless file with the present time, so only its empty name
// counts.
const told = (value) => (value instanceof File ? value.name && [value.name, value.size, value.lastModified] : value);

// The content that the form would send, without the settings of the preview.
function content(form) {
  const sent = [...new FormData(form)].filter(([name]) => !name.startsWith("preview"));
  return JSON.stringify(sent.map(([name, value]) => [name, told(value)]));
}

// The content as the console sent it, even if the browser has restored other input after the back button.
function written(form) {
  const copy = form.cloneNode(true);
  copy.reset();
  return content(copy);
}

const saved = new Map(forms.map((form) => [form, form.dataset.unsaved ? null : written(form)]));
const isChanged = (form) => form.isConnected && saved.get(form) !== content(form);

// Whether the person has answered the question already, so that the browser does not ask again.
let isAnswered = false;

// Whether a click on the link replaces this page by another one.
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
      // Older browsers ask only if this is set.
      event.returnValue = true;
    }
    isAnswered = false;
  });
}
