import CLibpq

/// The server's notices, of which only one is evaluated: that the server has stopped waiting for a standby.
final class PostgresNotices {
    /// The server's function that waits. It identifies the notice, since the message text is in the server's language.
    private static let waiting = "SyncRepWaitForLSN"

    /// A commit was reported that no standby may have (FLEET-7): an operator has ended the wait for it.
    private(set) var hasStoppedWaiting = false

    /// - Parameter link: an open connection. By default libpq would write notices to standard error.
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

    /// Forgets earlier notices.
    func forget() {
        hasStoppedWaiting = false
    }

    private func heard(from function: String) {
        if function == Self.waiting { hasStoppedWaiting = true }
    }
}
