// IndexedDB
const KEPT = ["state", "messages", "queue"];

export const within = (most, work) => Promise.race([
  work, new Promise((_, reject) => setTimeout(reject, most, new DOMException("It took too long.", "TimeoutError"))),
]);

const open = (name) => within(10_000, new Promise((resolve, reject) => {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("kept");
    request.result.createObjectStore("events", { autoIncrement: true });
  };
  request.onsuccess = () => {
    const store = new Store(request.result);
    store.step(({ state }) => state && [state.link.pending.at, state.record.tags.at]).then(() => resolve(store), reject);
  };
  request.onerror = () => reject(request.error);
}));

export const openStore = (appCode) => open(`belfry-${appCode}`).catch(async (error) => {
  if (!/(Version|NotFound|NotReadable|Data|Type)Error/.test(error)) throw error;
  return Object.assign(await open(`belfry-${appCode}.2`), { flaw: `${error}` });
});

class Store {
  constructor(db) {
    this.db = db;
    db.onversionchange = db.onclose = () => {
      db.close();
      db.isGone = true;
    };
  }

  close() { this.db.close(); }

  async step(change, count = 100) {
    if (this.db.isGone) this.db = (await open(this.db.name)).db;
    return new Promise((resolve, reject) => {
      const transaction = this.db.transaction(["kept", "events"], "readwrite");
      const kept = transaction.objectStore("kept");
      const events = transaction.objectStore("events");
      let output;
      let failure = new DOMException("It was stopped.");
      transaction.oncomplete = () => resolve(output);
      transaction.onabort = () => reject(transaction.error ?? failure);
      const found = KEPT.map((key) => kept.get(key));
      const oldest = events.getAll(null, count);
      oldest.onsuccess = () => {
        try {
          const [state, messages, queue] = found.map(({ result }) => result);
          const step = { state, messages, queue, rows: oldest.result, append: [] };
          const before = KEPT.map((key) => JSON.stringify(step[key]));
          output = change(step);
          for (const row of step.append) {
            events.add(row);
            step.queue.count += 1;
            step.queue.bytes += row.size;
          }
          events.openCursor().onsuccess = ({ target: { result: cursor } }) => {
            if (cursor && step.isGone?.(cursor.value)) {
              step.queue.count -= 1;
              step.queue.bytes -= cursor.value.size;
              cursor.delete();
              cursor.continue();
            } else KEPT.forEach((key, place) => JSON.stringify(step[key]) !== before[place] && kept.put(step[key], key));
          };
        } catch (error) {
          failure = error;
          transaction.abort();
        }
      };
    });
  }
}
