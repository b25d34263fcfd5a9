// The patterns of the conformance suite: what an expected value matches.
import assert from "node:assert/strict";

const text = (value) => JSON.stringify(value)?.slice(0, 600) ?? "nothing";

export class Bindings {
  #values = new Map();

  /** Throws where the value does not match, with the place. */
  match(pattern, value, place = "") {
    const fail = (what) => assert.fail(`${place || "value"}: ${what}, not ${text(value)}`);
    if (pattern === null) return value == null || fail("nothing expected");
    if (typeof pattern === "string" && pattern.startsWith("$")) return this.#bind(pattern.slice(1), value, fail);
    if (Array.isArray(pattern)) {
      if (!Array.isArray(value) || value.length !== pattern.length) fail(`${pattern.length} expected (${text(pattern)})`);
      return pattern.forEach((part, index) => this.match(part, value[index], `${place}[${index}]`));
    }
    if (typeof pattern !== "object") return value === pattern || fail(`${text(pattern)} expected`);
    const [operator] = Object.keys(pattern);
    if (operator?.startsWith("$")) return this.#operate(operator, pattern[operator], value, place, fail);
    if (value === null || typeof value !== "object") fail(`${text(pattern)} expected`);
    for (const [key, part] of Object.entries(pattern)) this.match(part, value[key], `${place}.${key}`);
  }

  matches(pattern, value) {
    const kept = new Map(this.#values);
    try {
      this.match(pattern, value);
      return true;
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      this.#values = kept;
      return false;
    }
  }

  #bind(name, value, fail) {
    if (value == null) fail(`a value expected for $${name}`);
    if (name === "any") return;
    if (!this.#values.has(name)) this.#values.set(name, value);
    else if (text(this.#values.get(name)) !== text(value)) fail(`$${name} is ${text(this.#values.get(name))}`);
  }

  #number(raw) {
    return Number(typeof raw === "string" && raw.startsWith("$") ? this.#values.get(raw.slice(1)) : raw);
  }

  #operate(operator, operand, value, place, fail) {
    switch (operator) {
      case "$above": return Number(value) > this.#number(operand) || fail(`more than ${operand} expected`);
      case "$below": return Number(value) < this.#number(operand) || fail(`less than ${operand} expected`);
      case "$not": return (value != null && !this.matches(operand, value)) || fail(`anything but ${text(operand)} expected`);
      case "$oneOf": return operand.some((part) => this.matches(part, value)) || fail(`one of ${text(operand)} expected`);
      case "$set": return this.#matchSet(operand, [...(value ?? [])], fail);
      case "$only":
        if (text(Object.keys(value ?? {}).sort()) !== text(Object.keys(operand).sort())) fail(`only ${Object.keys(operand)} expected`);
        return this.match(operand, value, place);
      case "$contains":
        if (typeof value === "string") return value.includes(operand) || fail(`a text with ${operand} expected`);
        return value?.some((part) => this.matches(operand, part)) || fail(`${text(operand)} expected in it`);
      default: return assert.fail(`the runner does not know ${operator}`);
    }
  }

  #matchSet(patterns, values, fail) {
    if (patterns.length !== values.length) fail(`${patterns.length} in any order expected`);
    for (const pattern of patterns) {
      const found = values.findIndex((value) => this.matches(pattern, value));
      if (found < 0) fail(`${text(pattern)} expected`);
      values.splice(found, 1);
    }
  }
}

function matchRequest(bindings, pattern, request) {
  if (typeof pattern === "string") return assert.equal(request.request, pattern);
  const { at, headers, events, note, ...rest } = pattern;
  for (const key of Object.keys(rest)) assert.ok(["request", "query", "body"].includes(key), `the runner does not know '${key}' of a request`);
  bindings.match(rest, request);
  if (headers) bindings.match(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])), request.headers);
  if (at) assert.ok(request.at >= at[0] && request.at <= at[1], `${request.request} at ${request.at}, not in ${at}`);
  if (events) bindings.match(events, request.body.events.filter(({ type }) => type !== "internal"));
}

export function matchRequests(bindings, patterns, requests) {
  const left = [...requests];
  for (const pattern of patterns) {
    if (!pattern.anyOrder) {
      if (!left.length) assert.fail(`${text(pattern)} expected, no more requests than ${text(requests.map((request) => [request.request, request.at]))}`);
      matchRequest(bindings, pattern, left.shift());
      continue;
    }
    for (const part of pattern.anyOrder) {
      const found = left.slice(0, pattern.anyOrder.length).findIndex((request) => {
        try {
          matchRequest(bindings, part, request);
          return true;
        } catch {
          return false;
        }
      });
      assert.ok(found >= 0, `${text(part)} expected among ${text(left.map(({ request }) => request))}`);
      left.splice(found, 1);
    }
  }
  assert.equal(left.length, 0, `no more requests expected: ${text(left.map(({ request, at, body }) => [request, at, body]))}`);
}
