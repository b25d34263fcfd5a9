/// Work that one process stores and another one does.
package enum SharedWork: String, CaseIterable, Hashable, Sendable {
    /// Registrations were received.
    case registrations
    /// A campaign was launched or changed.
    case campaigns
    /// An in-app campaign was launched or changed, or a device is owed a silent push.
    case silentPushes
    /// Somebody has asked for a rehearsal.
    case rehearsals
}

/// How the processes that share a database wake each other, and how many of them answer calls (FLEET-1).
///
/// A ring is no promise: it comes after the commit, nobody waits for it, and it may be lost with a connection or with
/// the process that rings. So whoever waits for work also looks for it now and then.
package protocol ProcessBell: Sendable {
    /// Tells the other processes, soon; rings in quick succession are one.
    func ring(_ work: SharedWork)

    /// Begins to hear the others, and hears them until the end, however often the connection is lost meanwhile: each
    /// time it is there, all kinds of work are heard, since rings may have been missed.
    ///
    /// - Parameters:
    ///   - isCounted: whether this process is one of those that ``count()`` counts.
    ///   - hear: is called on a thread of its own.
    func listen(isCounted: Bool, _ hear: @escaping @Sendable (SharedWork) -> Void)

    /// How many processes of this database are alive and counted; nil while nobody knows.
    func count() async -> Int?
}

/// For a database that one process has alone.
package struct LoneProcess: ProcessBell {
    package init() {}

    package func ring(_ work: SharedWork) {}
    package func listen(isCounted: Bool, _ hear: @escaping @Sendable (SharedWork) -> Void) {}
    package func count() async -> Int? { 1 }
}
