// Composing: values of a person are put in by a press, contacts are chosen, and pages of messages come into their frames.
import { formToken } from "./parts.js";

const form = document.querySelector("#compose");

function put(field, text) {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// What is to be pressed is a button: <code data-insert="ID OF A FIELD">, <code data-choose="ID OF A FIELD">.
function pressable(code) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tag";
  button.textContent = code.textContent;
  button.addEventListener("click", () => {
    const field = document.getElementById(code.dataset.insert ?? code.dataset.choose);
    if (code.dataset.choose) field.value = "";
    put(field, code.textContent);
  });
  code.replaceWith(button);
}
for (const code of document.querySelectorAll("code[data-insert]")) pressable(code);

// A frame that shows what the form would send: <iframe data-page="ADDRESS" name="NAME">. Each is new, so none adds to the
// history.
function load(frame) {
  const copy = document.createElement("form");
  Object.assign(copy, { method: "post", action: frame.dataset.page, target: frame.name, hidden: true });
  const data = new FormData(form);
  data.set("formToken", formToken());
  for (const [name, value] of data) {
    copy.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(copy);
  copy.submit();
  copy.remove();
}

const preview = document.querySelector("#preview");
if (form && preview) {
  new MutationObserver(() => {
    for (const frame of preview.querySelectorAll("iframe[data-page]")) load(frame);
    for (const code of preview.querySelectorAll("code[data-choose]")) pressable(code);
  }).observe(preview, { childList: true });
}
