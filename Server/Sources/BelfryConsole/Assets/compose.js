// The compose form: inserts personal values by a press, chooses contacts and options, and loads the HTML pages of
// messages into their frames.
import { formToken } from "./parts.js";

const form = document.querySelector("#compose");

function put(field, text) {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// Replaces <code data-insert="ID OF A FIELD"> or <code data-choose="ID OF A FIELD"> by a button.
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

// Loads what the form would send into <iframe data-page="ADDRESS" name="NAME">. Each preview has new frames, so loading
// them adds nothing to the browser's history.
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

// Typing into the fields of an option chooses that option, unless the person has chosen another one. Otherwise the
// console would refuse the input: an option that is not chosen would drop it.
const options = [
  { choose: ["audience", "everyone", "clauses"], fields: [
    "subject", "op", "value", "group", "often", "times", "days", "whereName", "whereOp", "whereValue"] },
  { choose: ["audience", "everyone", "json"], fields: ["predicate"] },
  { choose: ["when", "now", "at"], fields: ["at"] },
  { tick: "quiet", fields: ["quietFrom", "quietTo", "quietThen"] },
  { tick: "keep", fields: [
    "center", "centerSubject", "centerMessage", "icon", "deeplink", "messageExpires", "richUrl", "richHtml",
    "centerDefaults", "centerVariantLocale", "centerVariantSubject", "centerVariantMessage", "centerVariantUrl",
    "centerVariantHtml"] },
];

function choose({ choose: [name, standard, wanted] = [], tick }) {
  const box = (value) => form.querySelector(`input[name="${name}"][value="${value}"]`);
  if (tick) {
    const field = form.querySelector(`input[type="checkbox"][name="${tick}"]`);
    if (field) field.checked = true;
  } else if (box(standard)?.checked) box(wanted).checked = true;
}

form?.addEventListener("input", ({ target }) => {
  if (!target.value?.trim()) return;
  const option = options.find(({ fields }) => fields.includes(target.name));
  if (option) choose(option);
});

// Enter in a field of the preview reloads the preview instead of saving the form.
form?.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (key !== "Enter" || event.isComposing || target.tagName !== "INPUT" || !target.name.startsWith("preview")) return;
  event.preventDefault();
  form.dispatchEvent(new Event("belfry:preview"));
});

const preview = document.querySelector("#preview");
if (form && preview) {
  new MutationObserver(() => {
    for (const frame of preview.querySelectorAll("iframe[data-page]")) load(frame);
    for (const code of preview.querySelectorAll("code[data-choose]")) pressable(code);
  }).observe(preview, { childList: true });
}
