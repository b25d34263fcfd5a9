import BelfryModel
import BelfryStore
import Foundation

/// The in-app messages that a device downloads (WIRE-9, IAM-1 to IAM-4).
package struct InAppService: Sendable {
    /// The longest cursor, in characters.
    package static let maximumCursorLength = InAppCursor.maximumLength

    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    /// Traces of downloads. Nil when nobody collects them.
    let traces: TraceLog?
    private let caches: InAppCaches
    private let states = SignedStates()
    /// Calls that wait at the same time are checked together.
    private let unchanged: JointCall<InAppSyncCall, DeviceLink?>
    /// How often the query of one call is repeated because its result has changed before it was written.
    private static let maximumLooks = 3

    /// - Parameter caches: shared with the service for clients of version 3.
    package init(
        database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, traces: TraceLog? = nil,
        caches: InAppCaches = InAppCaches()
    ) {
        self.caches = caches
        self.database = database
        self.keys = keys
        self.environment = environment
        self.traces = traces
        unchanged = JointCall { try InAppSyncCall.unchanged($0, keys, in: $1) }
    }

    /// The changes since a cursor was issued. Downloads are written to the ledger before the response. If the device,
    /// its contact or a campaign has changed since the query, the query is repeated; the write transaction itself runs
    /// none.
    ///
    /// - Parameter text: the cursor. Absent, unreadable, or of another contact: the response has all messages.
    package func sync(since text: String?, for caller: AuthenticatedCaller) async throws -> DeviceCallResult<InAppSync>
    {
        let cursor = text.flatMap(InAppCursor.init)
        if let cursor, let text {
            let call = InAppSyncCall(cursor: cursor, caller: caller)
            if let link = try await database.read({ [unchanged] in try unchanged.run(call, in: $0) }) {
                return answer(InAppSync(cursor: text), to: caller, link)
            }
        }
        let look = InAppSyncQuery(
            client: caller.client, cursor: cursor, now: environment.now(), keys: keys, caches: caches
        )
        for _ in 0..<Self.maximumLooks {
            let (link, finding) = try await database.look(
                for: caller, campaigns: caches.campaigns, now: look.now, look.found
            )
            guard finding.isWritten else { return answer(finding.sync, to: caller, link) }
            let saved = try await database.write { [isTraced = traces != nil] connection -> Saved? in
                let link = try CallerLookup(connection: connection).link(of: caller)
                guard try connection.inAppSyncVersions.find(device: link.id) == finding.stamp else { return nil }
                let ending = DeliveryEnding(connection: connection, isTraced: isTraced)
                let ended = try ending.downloads(of: finding.ending, device: link.id, client: caller.client) {
                    try Self.save(finding, of: link, now: look.now, in: connection)
                }
                return (link, ended)
            }
            guard let saved else { continue }
            traces?.record(saved.ended)
            return answer(finding.sync, to: caller, saved.link)
        }
        throw StoreError.tryAgain(reason: "the device's messages changed while they were read")
    }

    /// Syncs without making the caller wait: `completion` is called on a reader's thread, with nil if the answer is
    /// more than "nothing new".
    package func sync(
        since text: String?, for caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<InAppSync>?, any Error>) -> Void
    ) {
        guard let text, let cursor = InAppCursor(text) else {
            completion(.success(nil))
            return
        }
        database.read(InAppSyncCall(cursor: cursor, caller: caller), of: unchanged) { [self] result in
            completion(
                result.map { link in link.map { answer(InAppSync(cursor: text), to: caller, $0) } }
            )
        }
    }

    private typealias Saved = (link: DeviceLink, ended: [EndedDeliveries])

    private static func save(
        _ finding: InAppSyncResult, of link: DeviceLink, now: Date, in connection: any SQLConnection
    ) throws {
        let contact = try link.owner
        let ledger = InAppLedger(connection: connection, device: link.id)
        try ledger.download(
            finding.sync.messages.map { ($0.campaign, $0.version, $0.displayEpoch) }, contact: contact, now: now
        )
        try connection.inAppDeviceStates.withdraw(finding.withdrawn, device: link.id, contact: contact, now: now)
        try ledger.suppress(finding.errors, contact: contact, now: now)
    }

    private func answer(
        _ sync: InAppSync, to caller: AuthenticatedCaller, _ link: DeviceLink
    ) -> DeviceCallResult<InAppSync> {
        let state = states.state(of: link, client: caller.client, keys: keys)
        return DeviceCallResult(value: sync, clientState: state)
    }
}

/// A device's question whether anything is new since a cursor.
private struct InAppSyncCall: Sendable {
    let cursor: InAppCursor
    let caller: AuthenticatedCaller

    /// The link of each caller whose cursor is its own and for whom nothing can have changed since. Nil in every other
    /// case.
    static func unchanged(
        _ calls: [InAppSyncCall], _ keys: ServerKeys, in connection: any SQLConnection
    ) throws -> [Result<DeviceLink?, any Error>] {
        let stamps = try connection.inAppSyncVersions.find(devices: calls.map(\.caller.device))
        return zip(calls, stamps).map { call, stamp in
            guard let stamp, stamp.link.app == call.caller.app.id,
                // The first use of a newer link's token needs a write (WIRE-20).
                call.caller.generation == stamp.link.confirmedGeneration, let contact = stamp.link.contact,
                call.cursor.stands(at: stamp, mark: keys.inAppMark(device: stamp.link.id, contact: contact))
            else { return .success(nil) }
            return .success(stamp.link)
        }
    }
}
