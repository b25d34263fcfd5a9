import BelfryModel
import BelfryStore
import Foundation

/// The in-app messages that a device downloads (WIRE-9, IAM-1 to IAM-4).
package struct InAppService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let templates = InAppTemplateCache()
    private let states = SignedStates()
    /// Looks for one call, when what they find has changed before it could be written.
    private static let maximumLooks = 3

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
    }

    /// What has changed since a cursor was given. What the device downloads stands in the ledger before it is told: where
    /// the device, its contact or a campaign has changed since the look, it is taken again, and nothing is looked for
    /// while it is written.
    ///
    /// - Parameter text: the cursor; absent, another contact's or unreadable: all that there is.
    package func sync(since text: String?, for caller: AuthenticatedCaller) async throws -> DeviceCallResult<InAppSync>
    {
        let cursor = text.flatMap(InAppCursor.init)
        if let cursor, let text, let link = try await database.read(unchanged(cursor, caller)) {
            return answer(InAppSync(cursor: text), to: caller, link)
        }
        let look = InAppSyncQuery(
            client: caller.client, cursor: cursor, now: environment.now(), keys: keys, templates: templates
        )
        for _ in 0..<Self.maximumLooks {
            let (link, finding) = try await database.look(for: caller, now: look.now, look.found)
            guard finding.isWritten else { return answer(finding.sync, to: caller, link) }
            let saved = try await database.write { connection -> DeviceLink? in
                let link = try CallerLookup(connection: connection).link(of: caller)
                guard try connection.devices.inAppStamp(id: link.id) == finding.stamp else { return nil }
                try Self.save(finding, of: link, now: look.now, in: connection)
                return link
            }
            if let saved { return answer(finding.sync, to: caller, saved) }
        }
        throw StoreError.tryAgain(reason: "the device's messages changed while they were read")
    }

    /// The same for a caller who goes on: `completion` is told on a reader's thread, nil when there is more to do than
    /// to say that nothing is new.
    package func sync(
        since text: String?, for caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<InAppSync>?, any Error>) -> Void
    ) {
        guard let text, let cursor = InAppCursor(text) else {
            completion(.success(nil))
            return
        }
        database.read(unchanged(cursor, caller)) { [self] result in
            completion(
                result.map { link in link.map { answer(InAppSync(cursor: text), to: caller, $0) } }
            )
        }
    }

    /// The caller's link, when the cursor is its own and nothing can have changed since; nil else, whatever is wrong.
    private func unchanged(
        _ cursor: InAppCursor, _ caller: AuthenticatedCaller
    ) -> @Sendable (any SQLConnection) throws -> DeviceLink? {
        { [keys] connection in
            guard let stamp = try connection.devices.inAppStamp(id: caller.device), stamp.link.app == caller.app.id,
                // The first use of a newer link's token is to be written down (WIRE-20).
                caller.generation == stamp.link.confirmedGeneration, let contact = stamp.link.contact,
                cursor.stands(at: stamp, mark: keys.inAppMark(device: stamp.link.id, contact: contact))
            else { return nil }
            return stamp.link
        }
    }

    private static func save(
        _ finding: InAppSyncResult, of link: DeviceLink, now: Date, in connection: any SQLConnection
    ) throws {
        let contact = try link.owner
        let ledger = InAppLedger(connection: connection, device: link.id)
        try ledger.download(
            finding.sync.messages.map { ($0.campaign, $0.version, $0.displayEpoch) }, contact: contact, now: now
        )
        try connection.inAppDeviceStates.withdraw(finding.withdrawn, device: link.id, contact: contact, now: now)
        try ledger.suppress(finding.faults, contact: contact, now: now)
    }

    private func answer(
        _ sync: InAppSync, to caller: AuthenticatedCaller, _ link: DeviceLink
    ) -> DeviceCallResult<InAppSync> {
        let state = states.state(of: link, client: caller.client, keys: keys)
        return DeviceCallResult(value: sync, clientState: state)
    }
}
