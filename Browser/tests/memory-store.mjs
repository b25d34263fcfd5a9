// The storage of a test: what `belfry-store.js` does, in memory. It may be killed between two steps, as a page may.
export class MemoryStore {
  kept = {};
  rows = [];
  #keys = 0;

  constructor(fresh) {
    this.fresh = fresh;
  }

  async step(change, limits) {
    const queue = this.kept.queue ?? { count: 0, bytes: 0, droppedFull: 0, droppedOld: 0, setAside: 0 };
    const stored = structuredClone({ state: this.kept.state ?? this.fresh(), queue, messages: this.kept.messages ?? { centers: [], disabled: [], pending: [] } });
    const step = { ...stored, append: [], settled: null };
    Object.assign(step.queue, { oldestAt: this.rows[0]?.at, oldestOwner: this.rows[0]?.owner });
    const output = change(step);
    let rows = step.isPurged ? [] : this.rows;
    const { settled } = step;
    if (settled) rows = rows.filter(({ key }) => key < settled.first || key > settled.last);
    rows = [...rows, ...step.append.map((row) => ({ ...structuredClone(row), key: (this.#keys += 1) }))];
    const counted = () => Object.assign(step.queue, { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.size, 0) });
    while (counted() && rows.length && limits.isGone(rows[0], step.queue)) rows = rows.slice(1);
    this.rows = rows;
    this.kept = structuredClone({ state: step.state, queue: step.queue, messages: step.messages });
    return output;
  }

  async events(count) {
    return structuredClone(this.rows.slice(0, count));
  }

  close() {}
}
