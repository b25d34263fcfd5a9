// Steps on what is stored
import { BelfryError, freshState, refuse } from "./belfry-state.js";

const FRESH = { count: 0, bytes: 0, droppedFull: 0, droppedOld: 0, setAside: 0 };

export const storing = (work, isStart) => work.catch((error) => {
  if (error instanceof BelfryError || !(isStart || error instanceof DOMException)) throw error;
  refuse("storageUnavailable", `The browser's storage failed: ${error}`);
});

export class Engine {
  parts = {};
  wakes = 0;
  #listeners = [];
  #early = [];

  constructor(config, edge, store) {
    Object.assign(this, { config, edge, store, channel: edge.channel((message) => this.#heard(message)) });
  }

  async step(change, isOwn, count = 1) {
    const { edge, config, parts, isHurried } = this;
    const now = edge.now();
    let s;
    const output = await storing(this.store.step((stored) => {
      const { state = freshState(edge.uuid()) } = stored;
      s = Object.assign(stored, {
        state, now, random: edge.random, uuid: edge.uuid, config, parts, reports: [], isOnline: edge.isOnline(),
        appState: state.appState, isHurried: isHurried || state.appState === "background",
        lost: {}, queue: { ...FRESH, ...stored.queue }, messages: stored.messages ?? { centers: [], disabled: [], pending: [] },
        isGone: (row) => isGone(row, s),
      });
      return change(s);
    }, count));
    for (const [reason, count] of Object.entries(s.lost)) s.reports.push({ type: "eventsDropped", count, reason });
    if (s.reports.length || s.isNews) this.tell(s);
    if (!isOwn) this.wake();
    return output;
  }

  read() {
    return this.step((s) => s, true);
  }

  on(name, listener) {
    const entry = { name, listener };
    this.#listeners.push(entry);
    if (name === "report") for (const report of this.#early.splice(0)) this.emit(name, report);
    return () => { this.#listeners = this.#listeners.filter((other) => other !== entry); };
  }

  emit(name, detail) {
    const heard = this.#listeners.filter((entry) => entry.name === name);
    if (name === "report" && !heard.length && this.#early.length < 100) this.#early.push(detail);
    for (const { listener } of heard) {
      try {
        listener(detail);
      } catch (error) {
        queueMicrotask(() => { throw error; });
      }
    }
  }

  tell({ reports, isNews }) {
    this.channel.post({ reports, isNews });
    this.#heard({ reports, isNews });
  }

  #heard({ reports = [], isNews, isWork, event }) {
    if (isWork && this.isLeading) this.wake();
    if (event) this.emit(...event);
    for (const report of reports) this.emit("report", report);
    if (isNews) this.emit("news");
  }

  wake() {
    this.wakes += 1;
    this.end?.();
    if (!this.isLeading) this.channel.post({ isWork: true });
  }

  async stop() {
    const { store, channel } = this;
    const close = () => {};
    this.store = { close, step: async () => refuse("stopped", "The SDK was stopped in this page.") };
    this.isLeading = false;
    this.emit("idle");
    this.emit("news");
    // All others end before.
    await store.step(close).catch(close);
    store.close();
    channel.close();
    this.channel = { close, post: close };
  }
}

/** EVT-5 */
function isGone({ event, at }, { isPurged, settled, queue, isTooOld, lost, config: { queue: { count, bytes } } }) {
  if (isPurged || settled?.has(event.id)) return true;
  const isOld = isTooOld?.(at);
  if (!isOld && (queue.count < 2 || queue.count <= count && queue.bytes <= bytes)) return false;
  const reason = isOld ? "tooOld" : "queueFull";
  lost[reason] = (lost[reason] ?? 0) + 1;
  queue[isOld ? "droppedOld" : "droppedFull"] += 1;
  return true;
}
