// The storage of a test: what `belfry-store.js` does, in memory. It may be killed between two steps, as a page may.
export class MemoryStore {
  kept = {};
  rows = [];

  async step(change, most) {
    const queue = this.kept.queue ?? { count: 0, bytes: 0, droppedFull: 0, droppedOld: 0, setAside: 0 };
    const stored = structuredClone({ state: this.kept.state, queue, messages: this.kept.messages ?? { centers: [], disabled: [], pending: [] } });
    const step = { ...stored, rows: structuredClone(this.rows.slice(0, most)), append: [] };
    const output = change(step);
    let rows = [...this.rows, ...structuredClone(step.append)];
    const counted = () => Object.assign(step.queue, { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.size, 0) });
    while (counted() && rows.length && step.isGone(rows[0])) rows = rows.slice(1);
    this.rows = rows;
    this.kept = structuredClone({ state: step.state, queue: step.queue, messages: step.messages });
    return output;
  }

  close() {}
}
