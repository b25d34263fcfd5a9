import CLibpq

/// What the server remarks beside its answers. Two things of that are heard: that it has stopped to wait for a standby, and
/// why a server of a cluster has not committed, of which Citus speaks nowhere else.
final class PostgresNotices {
    /// The server's function that waits. It identifies the notice, since the message text is in the server's language.
    private static let waiting = "SyncRepWaitForLSN"

    /// A commit was reported that no standby may have (FLEET-7): an operator has ended the wait for it.
    private(set) var hasStoppedWaiting = false
    /// The SQLSTATEs of what was remarked.
    private(set) var states: Set<String> = []

    /// - Parameter link: an open connection. By default libpq would write notices to standard error.
    func listen(to link: OpaquePointer) {
        PQsetNoticeReceiver(
            link,
            { listener, notice in
                guard let listener else { return }
                Unmanaged<PostgresNotices>.fromOpaque(listener).takeUnretainedValue().heard(
                    from: PQresultErrorField(notice, Int32(UInt8(ascii: "R"))).map { String(cString: $0) },
                    state: PQresultErrorField(notice, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
                )
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Forgets earlier notices.
    func forget() {
        hasStoppedWaiting = false
        states = []
    }

    private func heard(from function: String?, state: String?) {
        if function == Self.waiting { hasStoppedWaiting = true }
        if let state { states.insert(state) }
    }
}
