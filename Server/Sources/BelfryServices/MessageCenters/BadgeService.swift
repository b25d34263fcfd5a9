import BelfryModel
import BelfryStore

/// A device's badge, as the device sees and sets it (WIRE-12).
package struct BadgeService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys

    package init(database: any SQLDatabase, keys: ServerKeys) {
        self.database = database
        self.keys = keys
    }

    package func badge(of caller: AuthenticatedCaller) async throws -> DeviceCallResult<Badge> {
        let (link, badge) = try await database.read(for: caller) { connection, link in
            try connection.badges.find(device: link.id, maximum: caller.app.settings.maximumBadge)
        }
        return DeviceCallResult(value: badge, clientState: keys.state(of: link, client: caller.client))
    }

    /// Sets the badge; a number above the app's maximum becomes the maximum. The same call as the last one changes
    /// nothing. So if its response was lost and the device repeats it, it does not undo what a campaign has added
    /// meanwhile (BADGE-5).
    ///
    /// - Parameter revision: the revision of the badge that the device knew.
    package func set(
        _ count: Int, revision: Int64?, of caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<Badge> {
        for (field, number) in [("count", Int64(count)), ("revision", revision ?? 0)] where number < 0 {
            throw ServiceError.invalid(field, "invalidBadge", "A badge's \(field) is 0 or more.")
        }
        return try await database.write { [keys] connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            let badge = try connection.badges.set(
                count: count, baseRevision: revision, device: link.id, maximum: caller.app.settings.maximumBadge
            )
            return DeviceCallResult(value: badge, clientState: keys.state(of: link, client: caller.client))
        }
    }
}
