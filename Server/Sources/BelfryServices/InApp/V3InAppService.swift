import BelfryModel
import BelfryRules
import BelfryStore
import Foundation
import Synchronization

/// The in-app messages of clients of version 3, which keep none: the server decides for them (IAM-13, WIRE-14).
package struct V3InAppService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    /// Of what clients are told; nil when nobody collects them.
    let traces: TraceLog?
    private let caches: InAppCaches
    private let states = SignedStates()
    /// Looks for one call, when what they find has changed before it could be written.
    private static let maximumLooks = 3

    /// - Parameter caches: of the other clients, too.
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

    /// What a device is told to show or to do for events that it has just sent.
    ///
    /// - Parameters:
    ///   - events: those that are stored now and were not before, of the contact that the device has.
    ///   - shown: displays that the client tells of beside its events, by campaign.
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
            // The events are stored, and whoever sends them again for a message would bring nothing new.
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

    /// The inline messages for some places in the app, at most one for each, in their order.
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

    /// What a look finds, once it stands in the ledger: most looks find nothing and write nothing. Where the contact, a
    /// campaign or what the device was told has changed since the look, it is taken again; and when that goes on,
    /// nothing is told.
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
            let saved = try await database.write { [isTold = traces != nil] connection -> [EndedDeliveries]? in
                let link = try CallerLookup(connection: connection).link(of: caller)
                guard link.contact == seen.contact,
                    try connection.inAppRevisions.find(app: link.app).version == copies.clock,
                    try stands(copies, connection, link)
                else { return nil }
                let ledger = InAppLedger(connection: connection, device: link.id)
                let ending = DeliveryEnding(connection: connection, isTold: isTold)
                return try ending.downloads(of: copies.ending, device: link.id, client: caller.client) {
                    try copies.write(to: ledger, contact: link.owner, now: now)
                }
            }
            if let saved {
                traces?.tell(saved)
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

/// Which apps may have something to answer to events, as it was when the app was looked up (IAM-13). The express lane
/// asks it, so that uploads are slower only where there is a message to look for.
package final class V3InAppAvailability: Sendable {
    private let notes = Mutex<[Int64: Bool]>([:])

    /// Whether events of the app are to be looked at; of an app that nobody has looked up, too.
    package func mayAnswer(app: Int64) -> Bool {
        notes.withLock { $0[app] } ?? true
    }

    /// A campaign of the app was changed: until the app is looked up again, events are looked at.
    package func forget(app: Int64) {
        notes.withLock { $0[app] = nil }
    }

    func note(app: Int64, mayAnswer: Bool) {
        notes.withLock { $0[app] = mayAnswer }
    }
}
