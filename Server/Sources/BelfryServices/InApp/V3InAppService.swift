import BelfryModel
import BelfryRules
import BelfryStore
import Foundation
import Synchronization

/// In-app messages for clients of version 3. They store no messages, so the server decides for them (IAM-13, WIRE-14).
package struct V3InAppService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    /// Traces of deliveries to clients. Nil when nobody collects them.
    let traces: TraceLog?
    private let caches: InAppCaches
    private let states = SignedStates()
    /// How often the query of one call is repeated because its result has changed before it was written.
    private static let maximumLooks = 3

    /// - Parameter caches: shared with the service for the other clients.
    package init(
        database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, traces: TraceLog? = nil,
        caches: InAppCaches = InAppCaches()
    ) {
        self.caches = caches
        self.database = database
        self.keys = keys
        self.environment = environment
        self.traces = traces
    }

    /// The messages and actions for a device, in response to events that it has just sent.
    ///
    /// - Parameters:
    ///   - events: the stored events that are new and belong to the device's present contact.
    ///   - shown: displays that the client reports besides its events, by campaign.
    package func answer(
        to events: [Event], shown: [String: Int], for caller: AuthenticatedCaller
    ) async throws -> V3InAppBundle {
        guard !events.isEmpty else { return V3InAppBundle() }
        let look = V3InAppQuery(
            events: events.map(TriggerEvent.init), shown: shown, now: environment.now(), caches: caches
        )
        let copies: [V3InAppDelivery]
        do {
            copies = try await written(for: caller, now: look.now, look.found, stands: look.stands).copies
        } catch let error where error.meansOverload {
            // The events are stored, so the call succeeds without a message: events that are sent again would not be
            // new.
            return V3InAppBundle()
        }
        var v3InApp = V3InAppBundle()
        for copy in copies {
            if copy.type == .action {
                v3InApp.action = copy.actions
            } else {
                v3InApp.message = page(copy, caller)
            }
        }
        return v3InApp
    }

    /// The inline messages for some views of the app, at most one for each, in the order of the views.
    package func inline(
        _ viewIDs: [String], for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<[InlinePage]> {
        let look = V3InlineQuery(viewIDs: viewIDs, now: environment.now(), caches: caches)
        let (link, copies) = try await written(for: caller, now: look.now, look.found)
        let pages = copies.compactMap { copy in
            copy.viewID.map { InlinePage(page: page(copy, caller), viewID: $0) }
        }
        let state = states.state(of: link, client: caller.client, keys: keys)
        return DeviceCallResult(value: pages, clientState: state)
    }

    /// The messages that a query finds, after they were written to the ledger. Most queries find and write nothing. If
    /// the contact, a campaign or the device's messages have changed since the query, it is repeated, but only a few
    /// times; then there is no message.
    private func written(
        for caller: AuthenticatedCaller, now: Date,
        _ found: @escaping @Sendable (any SQLConnection, DeviceLink, AudienceResults) throws -> V3InAppResult,
        stands: @escaping @Sendable (V3InAppResult, any SQLConnection, DeviceLink) throws -> Bool = { _, _, _ in true }
    ) async throws -> (link: DeviceLink, copies: [V3InAppDelivery]) {
        let campaigns = caches.campaigns
        var (link, finding) = try await database.look(for: caller, campaigns: campaigns, now: now, found)
        for _ in 0..<Self.maximumLooks {
            guard finding.isWritten else { return (link, finding.copies) }
            let (seen, copies) = (link, finding)
            let saved = try await database.write { [isTraced = traces != nil] connection -> [EndedDeliveries]? in
                let link = try CallerLookup(connection: connection).link(of: caller)
                guard link.contact == seen.contact,
                    try connection.inAppRevisions.find(app: link.app).version == copies.clock,
                    try stands(copies, connection, link)
                else { return nil }
                let ledger = InAppLedger(connection: connection, device: link.id)
                let ending = DeliveryEnding(connection: connection, isTraced: isTraced)
                return try ending.downloads(of: copies.ending, device: link.id, client: caller.client) {
                    try copies.write(to: ledger, contact: link.owner, now: now)
                }
            }
            if let saved {
                traces?.record(saved)
                return (link, finding.copies)
            }
            (link, finding) = try await database.look(for: caller, campaigns: campaigns, now: now, found)
        }
        return (link, [])
    }

    private func page(_ copy: V3InAppDelivery, _ caller: AuthenticatedCaller) -> V3InAppPage {
        copy.page(allowsScripts: caller.app.settings.allowsInAppScripts)
    }
}

/// Whether apps may have a message in response to events, as of the app's last lookup (IAM-13). The express lane checks
/// it, so that uploads are slower only where there may be a message.
package final class V3InAppAvailability: Sendable {
    private let notes = Mutex<[Int64: Bool]>([:])

    /// Whether the app's events must be checked for messages. True also for an app that was not looked up yet.
    package func mayAnswer(app: Int64) -> Bool {
        notes.withLock { $0[app] } ?? true
    }

    /// Forgets an app because one of its campaigns was changed. Its events are checked until the app is looked up
    /// again.
    package func forget(app: Int64) {
        notes.withLock { $0[app] = nil }
    }

    func note(app: Int64, mayAnswer: Bool) {
        notes.withLock { $0[app] = mayAnswer }
    }
}
