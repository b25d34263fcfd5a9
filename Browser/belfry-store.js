// IndexedDB (README.md).
export class BelfryError extends Error {
  constructor(code, message, field) {
    super(message);
    Object.assign(this, { name: "BelfryError", code, field });
  }
}

const storing = (act) => new Promise(act).catch((error) => {
  if (!(error instanceof DOMException)) throw error;
  throw new BelfryError("storageUnavailable", `The browser's storage failed: ${error}`);
});

const open = (name, fresh) => storing((resolve, reject) => {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("kept");
    request.result.createObjectStore("events", { autoIncrement: true });
  };
  request.onsuccess = () => {
    const store = new Store(request.result, fresh);
    store.step(({ state }) => state && [state.link.pending.at, state.record.tags.at]).then(() => resolve(store), reject);
  };
  request.onerror = () => reject(request.error);
});

export const openStore = (appCode, fresh) => open(`belfry-${appCode}`, fresh).catch(async (error) => {
  if (!/(Version|NotFound|NotReadable|Data|Type)Error/.test(error)) throw error;
  return Object.assign(await open(`belfry-${appCode}.2`, fresh), { flaw: `${error}` });
});

class Store {
  constructor(db, fresh) {
    Object.assign(this, { db, fresh });
    db.onversionchange = () => db.close();
  }

  close() { this.db.close(); }

  #run(mode, act) {
    return storing((resolve, reject) => {
      const transaction = this.db.transaction(["kept", "events"], mode);
      const result = {};
      transaction.oncomplete = () => resolve(result.output());
      transaction.onabort = () => reject(result.error ?? transaction.error ?? new DOMException("It was stopped."));
      act(transaction.objectStore("kept"), transaction.objectStore("events"), result, transaction);
    });
  }

  events(count) {
    return this.#run("readonly", (kept, events, result) => {
      const [keys, rows] = [events.getAllKeys(null, count), events.getAll(null, count)];
      result.output = () => rows.result.map((row, place) => ({ ...row, key: keys.result[place] }));
    });
  }

  step(change, limits) {
    return this.#run("readwrite", (kept, events, result, transaction) => {
      const [state, queue, messages] = ["state", "queue", "messages"].map((key) => kept.get(key));
      const first = events.getAll(null, 1);
      first.onsuccess = () => {
        try {
          const [oldest] = first.result;
          const step = {
            state: state.result ?? this.fresh(), messages: messages.result, append: [],
            queue: { ...queue.result, oldestAt: oldest?.at, oldestOwner: oldest?.owner },
          };
          const before = JSON.stringify([step.state, step.messages]);
          const output = change(step);
          result.output = () => output;
          write(step, before, kept, events, limits);
        } catch (error) {
          result.error = error;
          transaction.abort();
        }
      };
    });
  }
}

function write({ state, queue, messages, append, settled, isPurged }, before, kept, events, limits) {
  const sweep = (range, isGone, then) => {
    events.openCursor(range).onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor || !isGone(cursor.value, queue)) return then();
      queue.count -= 1;
      queue.bytes -= cursor.value.size;
      cursor.delete();
      cursor.continue();
    };
  };
  const end = () => kept.put(queue, "queue");
  const cut = () => (limits ? sweep(null, limits.isGone, end) : end());
  for (const row of append) {
    events.add(row);
    queue.count += 1;
    queue.bytes += row.size;
  }
  if (JSON.stringify([state, messages]) !== before) {
    kept.put(state, "state");
    kept.put(messages, "messages");
  }
  if (isPurged) sweep(null, () => true, end);
  else if (settled) sweep(IDBKeyRange.bound(settled.first, settled.last), () => true, cut);
  else cut();
}
