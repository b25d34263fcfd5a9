import BelfryRules
import BelfryWire
import Foundation

/// Some events of the queue as the body of one request (WIRE-6).
struct EventBatch: Sendable {
    /// `dnd`: the device decides itself which in-app message is shown, so the response must not contain one (WIRE-6).
    private static let opening = Data(#"{"dnd":true,"events":["#.utf8)
    private static let closing = Data("]}".utf8)
    /// The size of a batch without its events, with room for one contact reference.
    static let envelopeBytes = 4_096

    /// The rows of the queue, in the order of the body.
    let rows: [Int64]
    let body: Data

    /// The next action for the beginning of the queue.
    enum Next: Sendable {
        case batch(EventBatch)
        /// The contact of these events is no longer known (ID-7).
        case orphans([Int64])
        /// Nothing waits, or nothing may be sent.
        case nothing
    }

    /// The first events of the queue that can be handled together, as many as fit.
    static func next(of waiting: [WaitingEvent], limit: BatchLimit, owners: EventOwners) -> Next {
        var orphans: [Int64] = []
        var builder = Builder(limit: limit)
        collecting: for event in waiting {
            switch owners.resolution(of: event.owner) {
            case .leaves(let reference):
                guard orphans.isEmpty, builder.add(event, reference: reference) else { break collecting }
            case .orphaned:
                guard builder.isEmpty else { break collecting }
                orphans.append(event.id)
            case .waits:
                break collecting
            }
        }
        if !orphans.isEmpty { return .orphans(orphans) }
        return builder.batch.map { .batch($0) } ?? .nothing
    }

    /// Collects events while they fit.
    struct Builder {
        let limit: BatchLimit
        private var rows: [Int64] = []
        private var body = EventBatch.opening

        init(limit: BatchLimit) {
            self.limit = limit
        }

        var isEmpty: Bool { rows.isEmpty }

        /// - Parameter reference: the reference of the event's contact; nil for the contact that the token names.
        /// - Returns: false when the event does not fit; the first one always does.
        mutating func add(_ event: WaitingEvent, reference: String?) -> Bool {
            let completed = Self.complete(event.body, reference: reference)
            guard rows.count < limit.count else { return false }
            guard rows.isEmpty || body.count + 1 + completed.count + EventBatch.closing.count <= limit.bytes else {
                return false
            }
            if !rows.isEmpty { body.append(UInt8(ascii: ",")) }
            body.append(completed)
            rows.append(event.id)
            return true
        }

        var batch: EventBatch? {
            rows.isEmpty ? nil : EventBatch(rows: rows, body: body + EventBatch.closing)
        }

        /// Adds the contact's reference, which is known only after a link, to the event's JSON object (ID-7).
        private static func complete(_ event: Data, reference: String?) -> Data {
            guard let reference else { return event }
            var text = JSONWriter(capacity: event.count + reference.utf8.count + 16)
            text.raw(event.dropLast())
            text.literal(",")
            text.key("contact")
            text.string(reference)
            text.literal("}")
            return Data(text.bytes)
        }
    }
}
