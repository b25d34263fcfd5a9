// The tab that leads makes the calls, one at a time (WEB-3).
import { answer, batch, kinds, next, NOT_BELFRYS, readResponse } from "./belfry-calls.js";
import { giveWay } from "./belfry-rules.js";
import { addSession, BelfryError, DAY, hide, launch, MINUTE, networkReturned, readBrowser, rebase, show, timePassed } from "./belfry-state.js";

const HEARTBEAT = 15_000;

export async function lead(engine, signal) {
  engine.isLeading = true;
  engine.clockStart = undefined;
  while (!signal.aborted) {
    const { wakes } = engine;
    let until;
    try {
      until = await pass(engine);
    } catch ({ code, message }) {
      if (signal.aborted) break;
      engine.tell({ reports: [{ type: "storageFailed", code, message }] });
      until = engine.edge.now() + MINUTE;
    }
    if (until && wakes === engine.wakes && !signal.aborted) await sleep(engine, until, signal);
  }
  engine.isLeading = false;
  // Whoever waits for this tab waits no longer.
  engine.emit("idle");
}

/** Nothing more can be sent now. A tab that follows does not wait for the one that leads. */
export const idle = (engine) => engine.isLeading && new Promise((resolve) => {
  const stop = engine.on("idle", () => resolve(stop()));
});

function sleep(engine, until, signal) {
  engine.isHurried = false;
  engine.emit("idle");
  return new Promise((resolve) => {
    const cancel = engine.edge.timer(Math.min(Math.max(until - engine.edge.now(), 0), DAY), resolve);
    signal.onabort = engine.end = () => resolve(cancel());
  });
}

/** Makes the next call; returns until when there is none, or 0. */
async function pass(engine) {
  const { edge } = engine;
  // The visible tab may have died.
  if (!edge.isVisible() && !(await edge.hasVisibleTab())) {
    await engine.step((s) => s.state.appState === "foreground" && hide(s), true);
  }
  let call = await engine.step((s) => {
    if (!s.state.serverURL && !s.state.rest) beginAnew(s, engine);
    engine.chosen = { isTracking: s.state.isTracking, rest: s.state.rest };
    lookAtClock(s, engine);
    tidy(s);
    return begin(s, next(s));
  }, true);
  if (call.do === "upload") {
    call = await engine.step((s) => {
      const made = s.rows.length && batch(s, s.rows);
      return made ? begin(s, made) : { until: 0 };
    }, true, call.count);
  }
  if (!call.do) return call.until;
  const { run } = kinds[call.do];
  const ask = async () => {
    const sentAt = edge.now();
    return { ...readResponse(await edge.send(call.request), edge.now()), sentAt };
  };
  const response = await (run ? run(engine, call).catch((error) => ({ error })) : ask());
  const take = (said) => engine.step((s) => {
    // After a wipe it is the answer to another installation (REG-36).
    if (s.state.id !== call.id) return;
    if (run) kinds[call.do].done(s, call, said);
    else answer(s, call, said);
    if (s.state.returns !== call.returns) networkReturned(s.state.gates);
  }, true);
  await take(response).catch((error) => {
    // What cannot be read has changed nothing, since its step was undone; the call has to wait all the same.
    if (run || error instanceof BelfryError) throw error;
    return take(readResponse(NOT_BELFRYS, edge.now()));
  });
  return 0;
}

/**
 * The site's data was cleared under the open page: what is stored from now on is a new installation's. The site has made its
 * choice about tracking at the page's start and does not make it again, so this tab remembers it; and so it does a wipe.
 */
function beginAnew(s, { edge, chosen }) {
  Object.assign(s.state, chosen);
  s.isPurged = !s.state.isTracking || s.state.rest != null;
  if (s.state.rest) return;
  launch(s, { isAlone: false });
  readBrowser(s, edge);
  if (edge.isVisible()) show(s, false);
  s.isNews = true;
  s.reports.push({ type: "storageCleared" });
}

/** Stores what must survive the call, and builds its request. */
function begin(s, call) {
  if (!call.do) return { until: Math.min(call.until ?? Infinity, sessionDue(s)) };
  if (call.do === "upload" && !call.rows) return call;
  call.id = s.state.id;
  call.returns = s.state.returns;
  call.request = kinds[call.do].ask?.(s, call);
  return call;
}

function sessionDue({ state: { session }, config }) {
  if (!session) return Infinity;
  return session.leftAt == null ? session.seenAt + HEARTBEAT : session.leftAt + config.sessionTimeout;
}

/**
 * EVT-5: a clock that is set ahead makes nothing that waits older. A page's own one, which nobody can set, tells of it; from one
 * page that leads to the next the machine's is believed.
 */
function lookAtClock(s, engine) {
  const { state, queue, now, config: { queue: { age } } } = s;
  const start = now - engine.edge.performance.now();
  const jump = start - (engine.clockStart ??= start);
  if (Math.abs(jump) > MINUTE) {
    engine.clockStart = start;
    for (const letter of state.deadLetters ?? []) if (jump > 0 || letter.at > now) letter.at += jump;
    // What is behind was tracked by the former clock. Set right, that is the present one again.
    if (jump > 0) queue.aheadSince = now - jump;
    queue.ahead = Math.max((queue.ahead ?? 0) + jump, 0);
  }
  const { ahead = 0, aheadSince } = queue;
  s.isTooOld = (at) => at < now - age - (at <= aheadSince ? ahead : 0);
}

/** Time has passed: a clock that was set back, the end of a session, the sign of life of one that goes on. */
function tidy(s) {
  const { state, now, config } = s;
  rebase(now, state.registration, state.centers, ...Object.values(state.gates));
  giveWay(state.link, state.gates, now);
  const due = sessionDue(s);
  for (const event of timePassed(state, now, config.sessionTimeout)) addSession(s, event, state.link.owner);
  const { session } = state;
  if (due <= now && session && state.appState === "foreground") session.seenAt = Math.max(now, session.startedAt);
  // Whatever was counted: there is nothing.
  if (!s.rows.length) Object.assign(s.queue, { count: 0, bytes: 0, ahead: undefined });
  if (!s.queue.count) state.uploads.isFlushing = false;
}
