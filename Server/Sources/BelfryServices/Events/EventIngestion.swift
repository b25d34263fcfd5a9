import BelfryModel
import BelfryStore
import Foundation

/// Stores events, each id once per device, and lets those about a push or a message join what is known of their campaign
/// (EVT-3, LED-1, ENG-4, IAM-9).
package struct EventIngestion: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let metrics: Metrics
    private let states = SignedStates()
    private let references = KnownReferences()
    private let entering = KnownEnteringEvents()

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, metrics: Metrics) {
        self.database = database
        self.keys = keys
        self.environment = environment
        self.metrics = metrics
    }

    /// - Returns: the places of the events that were not there before and are of the contact that the device has now.
    package func store(_ events: [Event], caller: AuthenticatedCaller) async throws -> DeviceCallResult<[Int]> {
        try await withCheckedThrowingContinuation { continuation in
            store(events, caller: caller) { continuation.resume(with: $0) }
        }
    }

    /// The same for a caller who does not wait: `completion` is told after the commit.
    ///
    /// - Parameter deliver: brings the answer from the writer's thread to where it is made and told.
    package func store(
        _ events: [Event], caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<[Int]>, any Error>) -> Void,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        let now = environment.now()
        let owners = owners(of: events, device: caller.device)
        let notes = EventNotes.all(of: events, client: caller.client)
        database.write(turn: .next(cost: events.count)) { [entering] connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            var people = ExistingPeople(of: link)
            var reports = UploadReports(of: link)
            var stored = 0
            var own: [Int] = []
            var names: Set<String> = []
            for (place, (event, ownerNamed)) in zip(events, owners).enumerated() {
                let named = ownerNamed.owner(on: link)
                // What comes too late of an erased person is taken and not kept, for nobody could erase it any more.
                guard let owner = try people.find(named, connection) else { continue }
                let contact = owner.contactID(of: link)
                let at = caller.clockOffset?.corrected(event.timestamp, now: now) ?? event.timestamp
                let isNew = try connection.events.insert(
                    event, device: link.id, app: link.app, contact: contact, at: at, receivedAt: now
                )
                guard isNew else { continue }
                stored += 1
                if contact == link.contact {
                    own.append(place)
                    names.insert(event.name.rawValue)
                }
                if let notes = notes[place] { reports.add(notes, of: [owner, named], at: at) }
                if event.opensApp { reports.addOpening(by: contact, at: min(at, now)) }
            }
            try reports.join(connection, now: now)
            // They may bring the device into the audience of a published message (IAM-15).
            if try !names.isEmpty && entering.hold(any: names, app: link.app, connection) {
                try connection.silentPushes.ask(.events, devices: [link.id], now: now)
            }
            return StoredEvents(link: link, count: stored, own: own)
        } completion: { [self] result in
            deliver { completion(result.map { answer(to: caller, $0) }) }
        }
    }

    private func answer(to caller: AuthenticatedCaller, _ stored: StoredEvents) -> DeviceCallResult<[Int]> {
        metrics.add(stored.count, to: "belfry_events_stored_total")
        let state = states.state(of: stored.link, client: caller.client, keys: keys)
        return DeviceCallResult(value: stored.own, clientState: state)
    }

    /// Whom the events name by reference.
    private func owners(of events: [Event], device: Int64) -> [NamedOwner] {
        var last: (reference: String, owner: NamedOwner)?
        return events.map { event in
            guard let reference = event.contactReference, !reference.isEmpty else { return .current }
            if let last, last.reference == reference { return last.owner }
            let owner = references.named(reference, device: device, keys: keys)
            last = (reference, owner)
            return owner
        }
    }
}

/// What a write of events came to.
private struct StoredEvents: Sendable {
    /// With the contact that the device has.
    let link: DeviceLink
    /// Those that were not there before.
    let count: Int
    /// The places of those of them that are that contact's.
    let own: [Int]
}

extension Event {
    /// A session begins when the app comes to the foreground; a process may start without (EVT-6).
    fileprivate var opensApp: Bool { kind == .internal && name == .sessionStart }
}
