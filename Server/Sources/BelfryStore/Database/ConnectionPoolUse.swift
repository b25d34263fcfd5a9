/// How many connections of a pool are in use now, and how many callers wait for one.
package struct ConnectionPoolUse: Hashable, Sendable {
    /// The pool's purpose: `writer`, `reader`, `question`.
    package let name: String
    /// The most connections of the pool.
    package let size: Int
    /// The connections in use.
    package let lent: Int
    /// The callers that wait for a connection. Writes that will share a transaction count once, and so do reads that
    /// will share a snapshot.
    package let waiting: Int

    package init(name: String, size: Int, lent: Int, waiting: Int) {
        self.name = name
        self.size = size
        self.lent = lent
        self.waiting = waiting
    }
}
