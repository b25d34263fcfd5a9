// An IndexedDB in memory that fails on demand, with as much of the interface as `belfry-store.js` uses. `faults` says what fails:
// `open` (the name of an error, or `hang`), `transaction` (the same), `read`, `write` and `commit` (the name of an error).
const tick = () => new Promise((resolve) => setImmediate(resolve));
const failure = (name) => new DOMException("The test says so.", name);

export class FakeIndexedDB {
  faults = {};
  stored = new Map();
  connections = new Set();
  turn = Promise.resolve();
  writes = 0;

  open(name) {
    const request = {};
    this.#open(name, request);
    return request;
  }

  async #open(name, request) {
    await tick();
    const { open } = this.faults;
    if (open === "hang") return;
    if (open) {
      request.error = failure(open);
      return request.onerror?.();
    }
    const isNew = !this.stored.has(name);
    if (isNew) this.stored.set(name, new Map());
    request.result = new Connection(this, name);
    if (isNew) request.onupgradeneeded?.();
    request.onsuccess?.();
  }

  /** As when a person clears the site's data while its pages are open. */
  clear() {
    this.stored.clear();
    for (const connection of [...this.connections]) {
      connection.close();
      connection.onclose?.();
    }
  }

  /** As when another tab asks for the deletion of the database. */
  deleteBySite() {
    for (const connection of [...this.connections]) connection.onversionchange?.();
    if (this.connections.size) throw new Error("A connection blocks the deletion.");
    this.stored.clear();
  }

  get(store, key, name = "belfry-shop") { return this.stored.get(name)?.get(store)?.rows.get(key); }
  put(store, key, value, name = "belfry-shop") { this.stored.get(name).get(store).rows.set(key, structuredClone(value)); }
  all(store, name = "belfry-shop") { return [...(this.stored.get(name)?.get(store)?.rows.values() ?? [])]; }
}

class Connection {
  constructor(base, name) {
    Object.assign(this, { base, name });
    base.connections.add(this);
  }

  createObjectStore(store) { this.base.stored.get(this.name).set(store, { rows: new Map(), last: 0 }); }
  close() { this.base.connections.delete(this); }

  transaction() {
    const { base } = this;
    if (!base.connections.has(this)) throw failure("InvalidStateError");
    const { transaction } = base.faults;
    if (transaction && transaction !== "hang") throw failure(transaction);
    return new Transaction(base, this.name);
  }
}

class Transaction {
  #requests = [];
  #isOver = false;
  #copies = new Map();

  constructor(base, name) {
    Object.assign(this, { base, name, error: null });
    const former = base.turn;
    base.turn = base.faults.transaction === "hang" ? former : former.then(() => this.#run());
  }

  async #run() {
    await tick();
    while (this.#requests.length && !this.#isOver) {
      await tick();
      const request = this.#requests.shift();
      const fault = this.base.faults[request.isWrite ? "write" : "read"];
      if (fault) return this.#end(failure(fault));
      request.result = request.act();
      request.onsuccess?.({ target: request });
    }
    if (!this.#isOver) this.#end(this.#copies.wrote && this.base.faults.commit ? failure(this.base.faults.commit) : null);
  }

  #end(error) {
    this.#isOver = true;
    this.error = error;
    if (error) return this.onabort?.();
    if (this.#copies.wrote) this.base.writes += 1;
    for (const [store, copy] of this.#copies) this.base.stored.get(this.name)?.set(store, copy);
    this.oncomplete?.();
  }

  abort() {
    this.#isOver = true;
    this.onabort?.();
  }

  /** What a store holds when this transaction's turn has come: after those that were begun before. */
  #copy(name) {
    if (!this.#copies.has(name)) {
      const { rows, last } = this.base.stored.get(this.name)?.get(name) ?? { rows: [], last: 0 };
      this.#copies.set(name, { rows: new Map(rows), last });
    }
    return this.#copies.get(name);
  }

  objectStore(name) {
    const ask = (change, isWrite = false) => {
      const request = { act: () => change(this.#copy(name)), isWrite };
      this.#copies.wrote ||= isWrite;
      this.#requests.push(request);
      return request;
    };
    const write = (act) => ask(act, true);
    return {
      get: (key) => ask((copy) => structuredClone(copy.rows.get(key))),
      getAll: (range, count) => ask((copy) => structuredClone([...copy.rows.values()].slice(0, count))),
      put: (value, key) => write((copy) => copy.rows.set(key, structuredClone(value))),
      add: (value) => write((copy) => copy.rows.set((copy.last += 1), structuredClone(value))),
      openCursor: () => {
        let after = -Infinity;
        const request = ask((copy) => {
          const found = [...copy.rows].find(([key]) => key > after);
          if (!found) return null;
          const [key, value] = found;
          return {
            value: structuredClone(value), delete: () => write(({ rows }) => rows.delete(key)),
            continue: () => {
              after = key;
              this.#requests.push(request);
            },
          };
        });
        return request;
      },
    };
  }
}
