import BelfryModel
import BelfryStore
import Foundation

/// Stores events, each id once per device, and joins those about a push or a message to the records of its campaign
/// (EVT-3, LED-1, ENG-4, IAM-9).
package struct EventIngestion: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let metrics: Metrics
    private let states = SignedStates()
    private let references = KnownReferences()
    /// Uploads that wait at the same time are stored together.
    private let uploads: JointCall<EventUpload, StoredEvents>

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, metrics: Metrics) {
        self.database = database
        self.keys = keys
        self.environment = environment
        self.metrics = metrics
        let entering = KnownEnteringEvents()
        uploads = JointCall(isOfDevices: true) { try EventUpload.store($0, entering, in: $1) }
    }

    /// Stores the events of an upload.
    ///
    /// - Returns: the positions of the new events that belong to the device's present contact.
    package func store(_ events: [Event], caller: AuthenticatedCaller) async throws -> DeviceCallResult<[Int]> {
        try await withCheckedThrowingContinuation { continuation in
            store(events, caller: caller) { continuation.resume(with: $0) }
        }
    }

    /// Stores the events of an upload without making the caller wait: `completion` is called after the commit.
    ///
    /// - Parameter deliver: hands the result from the writer's thread to the one that makes the response and calls
    ///   `completion`.
    package func store(
        _ events: [Event], caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<[Int]>, any Error>) -> Void,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        let upload = EventUpload(
            events: events, owners: owners(of: events, device: caller.device),
            notes: EventNotes.all(of: events, client: caller.client), caller: caller, now: environment.now()
        )
        database.write(upload, of: uploads, turn: .next(cost: events.count)) { [self] result in
            deliver { completion(result.map { answer(to: caller, $0) }) }
        }
    }

    private func answer(to caller: AuthenticatedCaller, _ stored: StoredEvents) -> DeviceCallResult<[Int]> {
        metrics.add(stored.count, to: "belfry_events_stored_total")
        let state = states.state(of: stored.link, client: caller.client, keys: keys)
        return DeviceCallResult(value: stored.own, clientState: state)
    }

    /// The contacts that the events name by reference.
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
