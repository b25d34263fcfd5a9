// Steps on what is stored, and what they tell this tab and the others (WEB-3).
import { addSession, BelfryError, freshState, track } from "./belfry-state.js";

const FRESH = { count: 0, bytes: 0, droppedFull: 0, droppedOld: 0, setAside: 0 };

/** A failure of the storage, as the site gets it. */
export const storing = (work) => work.catch((error) => {
  if (!(error instanceof DOMException)) throw error;
  throw new BelfryError("storageUnavailable", `The browser's storage failed: ${error}`);
});

export class Engine {
  /** Loaded when needed, by their names. */
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
        track: (...event) => track(s, ...event),
        addSession: (event, owner) => addSession(s, event, owner),
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

  /** The first listener for reports also gets those from before it. */
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

  /** A tab that follows does not wait for the one that leads. */
  idle() {
    return this.isLeading ? new Promise((resolve) => { const stop = this.on("idle", () => resolve(stop())); }) : undefined;
  }
}

/** The oldest events go when they are too old or too many (EVT-5). */
function isGone({ event, at }, { isPurged, settled, queue, now, lost, config: { queue: { count, bytes, age } } }) {
  if (isPurged || settled?.has(event.id)) return true;
  const isOld = at < now - age;
  if (!isOld && (queue.count < 2 || (queue.count <= count && queue.bytes <= bytes))) return false;
  const reason = isOld ? "tooOld" : "queueFull";
  lost[reason] = (lost[reason] ?? 0) + 1;
  queue[isOld ? "droppedOld" : "droppedFull"] += 1;
  return true;
}
