import BelfryModel

// The number on the app's icon (BADGE-1 to BADGE-5). Campaigns change it, and so does the app; server and device agree.
extension BelfryClient {
    /// Sets the badge. The server is told first, so it waits for the network; on any error the badge stays as it was.
    /// A number above the app's maximum on the server becomes that maximum. 0 takes the number away, and all of the app's
    /// notifications out of the system's list, whoever sent them.
    ///
    /// - Parameter count: 0 and more.
    /// - Throws: ``MessageCenterError/Code/invalidBadge`` below 0, and what may go wrong on the way.
    public func setBadgeCount(_ count: Int) async throws(MessageCenterError) {
        try await engine.setBadge(count)
    }

    /// Takes the badge away: as ``setBadgeCount(_:)`` with 0.
    public func resetBadgeCount() async throws(MessageCenterError) {
        try await setBadgeCount(0)
    }

    /// The badge as server and device last agreed on it.
    public var badgeCount: Int {
        get async throws(BelfryError) { try await engine.badge.count }
    }
}
