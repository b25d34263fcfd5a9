import BelfryModel
import BelfrySimulators
import BelfryTestSupport
import BelfryWire
import Foundation

/// The requests of one device, and those that were acknowledged.
struct Conversation: Sendable {
    /// One request with events; they are stored together or not at all.
    struct Batch: Sendable {
        let events: [WireEvent]
        var isAcknowledged = false

        var ids: [String] { events.compactMap(\.id) }
    }

    struct Registration: Sendable {
        let snapshot: RegistrationSnapshot
        let order: Int64
        /// It has an attribute that the app does not define.
        let isFlawed: Bool
        var isAcknowledged = false
        /// The final state of its receipt.
        var status: ReceiptStatus?
    }

    let device: DeviceCaller
    private(set) var batches: [Batch] = []
    var registrations: [Registration] = []
    private var random: SimulatorRandom

    init(device: DeviceCaller, seed: UInt64) {
        self.device = device
        random = SimulatorRandom(seed: seed)
    }

    /// Says one thing after the other until the server does not answer any more.
    ///
    /// - Parameter onResponse: is called for each acknowledgement.
    mutating func talk(onResponse: () -> Void) async throws {
        repeat {
            if Int.random(in: 0..<4, using: &random) == 0 {
                guard try await sayTwoRegistrations(onResponse: onResponse) else { return }
            } else {
                guard try await sayEvents() else { return }
                onResponse()
            }
        } while true
    }

    /// Says again, unchanged, what was not acknowledged.
    mutating func repeatUnacknowledged() async throws {
        for index in batches.indices where !batches[index].isAcknowledged {
            try await device.send(batches[index].events)
            batches[index].isAcknowledged = true
        }
        for index in registrations.indices where !registrations[index].isAcknowledged {
            try await device.register(registrations[index].snapshot)
            registrations[index].isAcknowledged = true
        }
    }

    /// Whether everything was sent.
    var isAcknowledged: Bool { batches.allSatisfy(\.isAcknowledged) && registrations.allSatisfy(\.isAcknowledged) }

    /// Notes a batch that was sent by other means.
    mutating func note(_ batch: Batch) {
        batches.append(batch)
    }

    /// Events that nobody has sent yet.
    mutating func newEvents() -> [WireEvent] {
        (0..<Int.random(in: 1...3, using: &random)).map { number in
            WireEvent(
                id: UUID().uuidString, type: "custom", name: "tapped", timestamp: Timestamp.text(Date()),
                attributes: ["place": .number(Double(number))]
            )
        }
    }

    private mutating func sayEvents() async throws -> Bool {
        let batch = Batch(events: newEvents())
        batches.append(batch)
        let isAcknowledged = try await isAnswered { [device] in try await device.send(batch.events) }
        batches[batches.count - 1].isAcknowledged = isAcknowledged
        return isAcknowledged
    }

    /// Two revisions that overtake each other or not, as it happens.
    private mutating func sayTwoRegistrations(onResponse: () -> Void) async throws -> Bool {
        let older = await newRegistration()
        registrations.append(older)
        let newer = await newRegistration()
        registrations.append(newer)
        let device = device
        async let newerIsAnswered = isAnswered { try await device.register(newer.snapshot, order: newer.order) }
        async let olderIsAnswered = isAnswered { try await device.register(older.snapshot, order: older.order) }
        let answered = try await [olderIsAnswered, newerIsAnswered]
        for (index, isAcknowledged) in zip(registrations.indices.suffix(2), answered) {
            registrations[index].isAcknowledged = isAcknowledged
            if isAcknowledged { onResponse() }
        }
        return answered == [true, true]
    }

    /// The app version of each revision is its number.
    private mutating func newRegistration() async -> Registration {
        let revision = Int64(registrations.count + 1)
        let isFlawed = Int.random(in: 0..<3, using: &random) == 0
        let snapshot = RegistrationSnapshot(
            deviceId: device.id, registrationId: UUID().uuidString, revision: revision, pushEnabled: true,
            attributes: isFlawed ? ["neverDefined": .number(42)] : nil,
            system: SystemProperties(appVersion: Self.appVersion(revision: revision))
        )
        return Registration(snapshot: snapshot, order: await device.nextOrder(), isFlawed: isFlawed)
    }

    static func appVersion(revision: Int64) -> String { "1.0.\(revision)" }
}

/// Whether the call succeeded. False means that the server is gone; anything else is an error.
private func isAnswered(_ call: @Sendable () async throws -> some Sendable) async throws -> Bool {
    do {
        _ = try await call()
        return true
    } catch let error as CallError where error.isNoAnswer {
        return false
    }
}

/// Lets all talk at once until the server answers nobody any more, which `interrupt` sees to: it gets a bell that
/// rings for each acknowledgement.
func talk(
    _ conversations: [Conversation], interrupt: @escaping @Sendable (AsyncStream<Void>) async throws -> Void
) async throws -> [Conversation] {
    let (responses, bell) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Conversation?.self) { group in
        for conversation in conversations {
            group.addTask {
                var conversation = conversation
                try await conversation.talk { bell.yield() }
                return conversation
            }
        }
        group.addTask {
            try await interrupt(responses)
            return nil
        }
        var ended: [Conversation] = []
        for try await conversation in group {
            if let conversation { ended.append(conversation) }
            // No further signal comes, so no task has to wait for one.
            if ended.count == conversations.count { bell.finish() }
        }
        return ended
    }
}
