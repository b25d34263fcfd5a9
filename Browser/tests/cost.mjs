// What a page load costs, as Docs/BrowserSDK.md says it: `node Browser/tests/cost.mjs` prints the medians of several visits.
import { Stage } from "./support/stage.mjs";

const VISITS = 9;
const stage = new Stage();

/** Milliseconds of the page's main thread so far: of all its tasks, and of scripts alone. */
async function mainThread(tab) {
  const { metrics } = await tab.call("Performance.getMetrics");
  const of = (name) => metrics.find((metric) => metric.name === name).value * 1000;
  return { tasks: of("TaskDuration"), scripts: of("ScriptDuration") };
}

/** One page load with one event, in a tab of its own, and what it costs until nothing is left to do. */
async function load(browserContextId, path, hasSDK) {
  const { api, browser, site } = stage;
  const [files, calls] = [api.files.length, api.requests.length];
  const tab = await browser.open("about:blank", true, browserContextId);
  await tab.call("Performance.enable");
  await tab.go(site.origin + path);
  if (hasSDK) {
    const { length } = stage.names("custom");
    await tab.run('started.then(() => belfry.track("page"))');
    await stage.has("page", length + 1);
    await tab.run("belfry.flush().then(() => new Promise((resolve) => requestIdleCallback(resolve)))");
  }
  const spent = await mainThread(tab);
  await tab.close();
  const sent = api.files.slice(files);
  return { files: sent.length, bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0), calls: api.requests.length - calls, ...spent };
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

await stage.open({ keepsFiles: true });
await stage.fresh({ "/bare": "<!doctype html><title>Shop</title>" });
const kinds = { "without the SDK": [], "the first page of a new visitor": [], "the next page": [] };
for (let visit = 0; visit < VISITS; visit += 1) {
  const { browserContextId } = await stage.browser.call("Target.createBrowserContext");
  kinds["without the SDK"].push(await load(browserContextId, "/bare", false));
  kinds["the first page of a new visitor"].push(await load(browserContextId, "/", true));
  kinds["the next page"].push(await load(browserContextId, "/product", true));
  await stage.browser.call("Target.disposeBrowserContext", { browserContextId });
}
for (const [kind, visits] of Object.entries(kinds)) {
  const of = (name) => Math.round(median(visits.map((visit) => visit[name])) * 10) / 10;
  console.log(`${kind}: ${of("files")} files, ${of("bytes")} bytes, ${of("calls")} calls, ${of("tasks")} ms of the main thread, of it scripts ${of("scripts")} ms`);
}
await stage.close();
