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

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
    }

    /// What has changed since a cursor was given. What the device downloads stands in the ledger before it is told.
    ///
    /// - Parameter text: the cursor; absent, another contact's or unreadable: all that there is.
    package func sync(since text: String?, for caller: AuthenticatedCaller) async throws -> Answered<InAppSync> {
        let cursor = text.flatMap(InAppCursor.init)
        if let cursor, let text, let link = try await database.read(unchanged(cursor, caller)) {
            return answer(InAppSync(cursor: text), to: caller, link)
        }
        let look = InAppLook(
            client: caller.client, cursor: cursor, now: environment.now(), keys: keys, templates: templates
        )
        let (link, finding) = try await database.read(for: caller, look.found)
        guard finding.isWritten else { return answer(finding.sync, to: caller, link) }
        return try await database.write { [self] connection in
            let link = try connection.link(of: caller)
            let finding = try look.found(connection, link)
            try connection.save(finding, of: link, now: look.now)
            return answer(finding.sync, to: caller, link)
        }
    }

    /// The same for a caller who goes on: `completion` is told on a reader's thread, nil when there is more to do than
    /// to say that nothing is new.
    package func sync(
        since text: String?, for caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<Answered<InAppSync>?, any Error>) -> Void
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

    private func answer(
        _ sync: InAppSync, to caller: AuthenticatedCaller, _ link: DeviceLink
    ) -> Answered<InAppSync> {
        let state = states.state(of: link, client: caller.client, keys: keys)
        return Answered(value: sync, clientState: state)
    }
}

extension SQLConnection {
    fileprivate func save(_ finding: InAppFinding, of link: DeviceLink, now: Date) throws {
        let contact = try link.owner
        try download(
            finding.sync.messages.map { ($0.campaign, $0.version, $0.displayEpoch) }, device: link.id,
            contact: contact, now: now
        )
        try inAppCopies.withdraw(finding.withdrawn, device: link.id, contact: contact, now: now)
        for (campaign, note) in finding.faults.sorted(by: { $0.key < $1.key }) {
            try deliveries.suppressDownload(campaign, device: link.id, contact: contact, note: note, now: now)
        }
    }
}
