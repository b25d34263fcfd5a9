/// Kinds of work that one process stores and another one may do.
package enum SharedWork: String, CaseIterable, Hashable, Sendable {
    /// Registrations were received.
    case registrations
    /// A campaign was launched or changed.
    case campaigns
    /// An in-app campaign was launched or changed, or a device must get a silent push.
    case silentPushes
    /// A rehearsal was requested.
    case rehearsals
}

/// Lets the processes that share a database wake each other, and counts those that answer calls (FLEET-1).
///
/// A ring is not guaranteed: it is sent after the commit without waiting, and may be lost with a connection or with the
/// process that sends it. So a process that waits for work also polls.
package protocol ProcessBell: Sendable {
    /// Notifies the other processes soon; rings in quick succession are combined.
    func ring(_ work: SharedWork)

    /// Listens to the other processes until the end, and reconnects when the connection is lost. After each connection,
    /// all kinds of work are reported, since rings may have been missed.
    ///
    /// - Parameters:
    ///   - isCounted: whether this process is one of those that ``count()`` counts.
    ///   - hear: is called on a thread of its own.
    func listen(isCounted: Bool, _ hear: @escaping @Sendable (SharedWork) -> Void)

    /// How many processes of this database are alive and counted; nil while this is unknown.
    func count() async -> Int?
}

/// The bell of a database that only one process uses.
package struct LoneProcess: ProcessBell {
    package init() {}

    package func ring(_ work: SharedWork) {}
    package func listen(isCounted: Bool, _ hear: @escaping @Sendable (SharedWork) -> Void) {}
    package func count() async -> Int? { 1 }
}
