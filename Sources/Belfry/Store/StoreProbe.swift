/// A write of the device's store: one statement or transaction that commits by itself.
package enum StoreWrite: String, Hashable, Sendable {
    /// The tables of a new file.
    case schema
    /// One event at the end of the queue.
    case event
    /// A push that was seen, with its event.
    case push
    /// A step of the device.
    case step
    /// Events that are dropped by the limits of the queue.
    case removal
}

/// Observes every access to the device's store, so that a test can end the device at any instant of it (REL-3).
///
/// An error that a closure throws is passed to the caller of the store; before a write it prevents the write.
package struct StoreProbe: Sendable {
    /// Before any access, reading or writing.
    package let access: @Sendable () throws -> Void
    package let before: @Sendable (StoreWrite) throws -> Void
    /// Called when the write is durable, but its caller does not know yet.
    package let after: @Sendable (StoreWrite) throws -> Void

    package init(
        access: @escaping @Sendable () throws -> Void,
        before: @escaping @Sendable (StoreWrite) throws -> Void,
        after: @escaping @Sendable (StoreWrite) throws -> Void
    ) {
        self.access = access
        self.before = before
        self.after = after
    }
}
