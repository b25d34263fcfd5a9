// One edit of the contact record (REG-8 to REG-11).
import {
  BelfryError, bytes, changeContact, checkNull, contactKey, fieldsOf, invalid, isOtherField, jsonBytes, link, nameContact, refuse, scalar,
  suspension, word,
} from "./belfry-state.js";

const RESERVED = new Set(
  ("addressid alias apid backgroundrefreshenabled badge channel contactid contactkey createdby createddate customobjectkey " +
    "device deviceid devicetype gcmsenderid hardwareid ishonordst lastappopen lastmessageopen lastsend locationenabled " +
    "messageopencount modifiedby modifieddate optindate optinmethodid optinstatusid optoutdate optoutmethodid optoutstatusid " +
    "platform platformversion providertoken proximityenabled pushaddressextensionid pushapplicationid quietpushenabled " +
    "sdkversion sendcount signedstring source sourceobjectid status systemtoken timezone utcoffset").split(" "));

function attributeKey(raw) {
  const key = word(raw, "An attribute key", 128);
  if (RESERVED.has(key.toLowerCase())) refuse("reservedWord", `'${key}' is a reserved word and cannot be an attribute.`);
  return key;
}

function attributeValue(raw) {
  if (raw == null) refuse("missingValue", "An attribute needs a value. To clear it, use its key.");
  const value = scalar(raw, (message) => refuse("wrongType", message));
  if (typeof value !== "string") return value;
  const trimmed = value.trim();
  if (bytes(trimmed) > 16_384) refuse("tooLong", "A value has at most 16,384 bytes.");
  checkNull(trimmed, "A value");
  return trimmed;
}

/** Not a list is a mistake in the site's program, and ends the edit. */
function list(values, field) {
  if (!Array.isArray(values)) invalid(field, "an array", "invalidEdit");
  return values;
}

/** One edit. All its changes take effect together, on the contact that it names (REG-8). */
export class RecordEdit {
  #former;
  #rules;
  #changes = [];
  #bytes;
  #isOver = false;
  refusals = [];

  /** `rules`: the standard `contactField`, `wasProven`, and why the client is suspended, if it is. */
  constructor(record, rules) {
    this.#former = structuredClone(record);
    this.#rules = rules;
    Object.assign(this, { record, isOther: false, key: null });
  }

  get contactKey() { return this.record.contactKey; }
  get attributes() { return { ...this.record.attributes }; }
  get tags() { return [...this.record.tags].sort(); }
  get pushEnabled() { return this.record.pushEnabled; }

  setContactKey(raw) {
    return this.#try(() => {
      const key = contactKey(raw);
      this.key = key;
      this.record = structuredClone(this.#former);
      this.isOther = nameContact(this.record, key, undefined, this.#rules.contactField, this.#rules.wasProven);
      for (const change of this.#changes) change(this.record);
      this.#bytes = undefined;
    });
  }
  setPushEnabled(isEnabled) {
    return this.#try(() => {
      if (typeof isEnabled !== "boolean") refuse("wrongType", "The switch for pushes is true or false.");
      this.#apply((record) => { record.pushEnabled = isEnabled; });
    });
  }
  setAttribute(rawKey, rawValue) {
    return this.#try(() => {
      const [key, value] = [attributeKey(rawKey), attributeValue(rawValue)];
      const { attributes } = this.record;
      const former = Object.hasOwn(attributes, key) ? { [key]: attributes[key] } : null;
      if (!former) this.#checkCount(Object.keys(attributes));
      this.#grow({ [key]: value }, former);
      // A name like `__proto__` is a name like any other.
      this.#apply((record) => { record.attributes = { ...record.attributes, [key]: value }; });
    });
  }
  setAttributes(attributes) { return Object.entries(fieldsOf(attributes ?? "", "invalidEdit")).map((pair) => this.setAttribute(...pair)); }
  clearAttribute(raw) { return this.#remove(() => attributeKey(raw), (record, key) => { delete record.attributes[key]; }); }
  clearAttributes(keys) { return list(keys, "keys").map((key) => this.clearAttribute(key)); }
  clearAllAttributes() { return this.#remove(() => {}, (record) => { record.attributes = {}; }); }
  addTag(raw) {
    return this.#try(() => {
      const tag = word(raw, "A tag", 128);
      if (!this.record.tags.includes(tag)) {
        this.#checkCount(this.record.tags);
        this.#grow([tag]);
      }
      this.#apply((record) => { record.tags = [...new Set(record.tags).add(tag)]; });
    });
  }
  addTags(tags) { return list(tags, "tags").map((tag) => this.addTag(tag)); }
  removeTag(raw) {
    return this.#remove(() => word(raw, "A tag", 128), (record, tag) => {
      record.tags = record.tags.filter((other) => other !== tag);
    });
  }
  removeTags(tags) { return list(tags, "tags").map((tag) => this.removeTag(tag)); }
  removeAllTags() { return this.#remove(() => {}, (record) => { record.tags = []; }); }

  /** From now on a setter, which would change nothing any more, says so. */
  static end(edit) { edit.#isOver = true; }

  #apply(change) {
    change(this.record);
    this.#changes.push(change);
  }

  #remove(parse, change) {
    return this.#try(() => {
      const name = parse();
      this.#apply((record) => change(record, name));
      this.#bytes = undefined;
    });
  }

  #checkCount(entries) {
    if (entries.length >= 1000) refuse("tooMany", "A contact record has at most 1,000 attributes and as many tags.");
  }

  /** A registration is one request, so the record has to fit into it. */
  #grow(added, removed) {
    const present = (this.#bytes ??= jsonBytes([this.record.attributes, this.record.tags]));
    const next = present + jsonBytes(added) - (removed ? jsonBytes(removed) : 0);
    if (next > 983_040 && next > present) refuse("recordTooLarge", "Attributes and tags have at most 983,040 bytes as JSON.");
    this.#bytes = next;
  }

  #try(change) {
    if (this.#isOver) refuse("invalidEdit", "The edit has ended: its setters have no effect now. Begin another one.");
    try {
      if (this.#rules.suspension) throw this.#rules.suspension;
      change();
      return { accepted: true };
    } catch (error) {
      if (!(error instanceof BelfryError)) throw error;
      const { code, message } = error;
      if (!this.refusals.some((other) => other.code === code && other.message === message)) this.refusals.push({ code, message });
      return { accepted: false, code, message };
    }
  }
}

/** What the site's function does, as one step. Where it throws, nothing changes, and `output` throws the same. */
export function makeEdit(body) {
  if (typeof body !== "function") invalid("body", "a function that gets the record", "invalidEdit");
  let output;
  const change = (s) => {
    const { state, config: { contactField } } = s;
    const former = structuredClone(state.record);
    const rules = { contactField, wasProven: state.link.subject != null, suspension: state.rest && suspension(state.rest) };
    const edit = new RecordEdit(structuredClone(former), rules);
    try {
      const made = body(edit);
      output = () => made;
      if (typeof made?.then === "function") {
        made.then(null, () => {});
        refuse("invalidEdit", "The function of an edit must not wait, nor return a promise.", "body");
      }
    } catch (error) {
      output = () => { throw error; };
      return;
    } finally {
      RecordEdit.end(edit);
    }
    if (state.rest) return;
    for (const refusal of edit.refusals) s.reports.push({ type: "editRefused", ...refusal });
    state.record = edit.record;
    changeContact(s, (present, now) => {
      if (edit.isOther) present.link.person += 1;
      if (edit.key != null) link(present, edit.key, undefined, contactField, isOtherField(former, undefined, contactField), now);
      return edit.isOther;
    });
  };
  return { change, output: () => output() };
}
