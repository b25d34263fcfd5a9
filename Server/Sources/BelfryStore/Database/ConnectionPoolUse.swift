/// How many of a database's connections of one kind are in use now, and who waits for one.
package struct ConnectionPoolUse: Hashable, Sendable {
    /// What they do: `writer`, `reader`, `question`.
    package let name: String
    /// How many there may be.
    package let size: Int
    /// Those that somebody has.
    package let lent: Int
    /// Those who wait for one, in their order. Writes that will share a transaction count once, and so do reads that will
    /// share a view.
    package let waiting: Int

    package init(name: String, size: Int, lent: Int, waiting: Int) {
        self.name = name
        self.size = size
        self.lent = lent
        self.waiting = waiting
    }
}
