import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Stores events, each id once per device, and lets those about a push join the ledger (EVT-3, LED-1).
package struct EventIntake: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let metrics: Metrics

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, metrics: Metrics) {
        self.database = database
        self.keys = keys
        self.environment = environment
        self.metrics = metrics
    }

    /// - Parameter attributes: of each event, as JSON text ready to store.
    package func store(
        _ events: [(event: Event, attributes: String)], caller: AuthenticatedCaller
    ) async throws -> Answered<Void> {
        let now = environment.now()
        let answer = try await database.write { [keys] connection in
            let device = try connection.device(of: caller)
            var stored = 0
            for (event, attributes) in events {
                let owner = ContactReference.contact(event.contactReference, device: device.id, keys: keys)
                let isNew = try connection.events.insert(
                    event, attributes: attributes, device: device.id, app: device.app,
                    contact: owner ?? device.contact, now: now
                )
                guard isNew else { continue }
                stored += 1
                try connection.joinLedger(event, device: device)
            }
            return (Answered(value: (), clientState: keys.state(of: device, trusted: true)), stored)
        }
        metrics.add(answer.1, to: "belfry_events_stored_total")
        return answer.0
    }
}

extension Engagement {
    /// What an event of the SDK says about a push.
    init?(_ event: Event) {
        guard event.kind == .internal else { return nil }
        switch event.name {
        case .pushReceived: self = .received
        case .pushDisplayed: self = .displayed
        case .pushClick: self = .opened
        case .pushDismiss: self = .dismissed
        default: return nil
        }
    }
}

extension SQLConnection {
    /// The message id names its campaign; it must be the one of this very device.
    func joinLedger(_ event: Event, device: DeviceRow) throws {
        guard let engagement = Engagement(event), case .string(let sid)? = event.attributes["sid"],
            let message = MessageID(sid), let campaign = message.campaign,
            message == MessageID.make(campaign: campaign, device: device.client)
        else { return }
        try deliveries.engage(engagement, campaign: campaign, device: device.id, at: event.timestamp)
    }
}
