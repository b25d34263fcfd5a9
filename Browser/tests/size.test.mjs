// The limits of WEB-1: what every page loads, and what a worker loads, each file gzipped by itself.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const folder = new URL("../", import.meta.url);

/** The file and everything that it imports, without what is loaded when it is needed. */
function graph(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  const text = readFileSync(new URL(name, folder), "utf8");
  for (const [, other] of text.matchAll(/^(?:import|export) [^;]*?from "\.\/([\w-]+\.js)";/gm)) graph(other, seen);
  return seen;
}
const size = (name) => [...graph(name)].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, folder)), { level: 9 }).length, 0);

test("WEB-1: belfry.js with all that it imports has at most 12 KiB gzipped", () => {
  assert.deepEqual([...graph("belfry.js")].sort(), ["belfry-edge.js", "belfry-engine.js", "belfry-state.js", "belfry-store.js", "belfry.js"]);
  assert.ok(size("belfry.js") <= 12 * 1024, `${size("belfry.js")} bytes`);
});

test("WEB-1: belfry-worker.js has at most 4 KiB gzipped", () => {
  assert.deepEqual([...graph("belfry-worker.js")].sort(), ["belfry-store.js", "belfry-worker.js"]);
  assert.ok(size("belfry-worker.js") <= 4 * 1024, `${size("belfry-worker.js")} bytes`);
});

test("WEB-2: the SDK sets no cookie and no global", () => {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(new URL(name, folder), "utf8");
    assert.doesNotMatch(text, /document\.cookie|localStorage|\b(?:window|globalThis|self)\.\w+ = /, name);
  }
});
