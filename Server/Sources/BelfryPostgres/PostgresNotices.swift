import CLibpq

/// What the server remarks beside its answers. One thing of that is heard: that it has stopped to wait for a standby.
final class PostgresNotices {
    /// The server's function that waits. The words that it says are in the server's language.
    private static let waiting = "SyncRepWaitForLSN"

    /// A commit was told of that no standby may have (FLEET-7): somebody has ended the wait for it.
    private(set) var hasStoppedWaiting = false

    /// - Parameter link: one that is open. libpq would write what it says to standard error by itself.
    func listen(to link: OpaquePointer) {
        PQsetNoticeReceiver(
            link,
            { listener, notice in
                guard let listener, let function = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))) else { return }
                Unmanaged<PostgresNotices>.fromOpaque(listener).takeUnretainedValue()
                    .heard(from: String(cString: function))
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// What comes from now on counts.
    func forget() {
        hasStoppedWaiting = false
    }

    private func heard(from function: String) {
        if function == Self.waiting { hasStoppedWaiting = true }
    }
}
