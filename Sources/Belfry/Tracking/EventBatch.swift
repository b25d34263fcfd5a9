import BelfryRules
import BelfryWire
import Foundation

/// Some events of the queue as the body of one request (WIRE-6).
struct EventBatch: Sendable {
    /// `dnd`: the device decides itself which in-app message is shown, so the answer is to bring none (WIRE-6).
    private static let opening = Data(#"{"dnd":true,"events":["#.utf8)
    private static let closing = Data("]}".utf8)
    /// What surrounds the events of a batch, with room for one contact reference.
    static let envelopeBytes = 4_096

    /// The rows of the queue, in the order of the body.
    let rows: [Int64]
    let body: Data

    /// What is to be done with the beginning of the queue.
    enum Next: Sendable {
        case batch(EventBatch)
        /// Nobody knows any more for whom these were tracked (ID-7).
        case strays([Int64])
        /// Nothing waits, or nothing may leave.
        case nothing
    }

    /// The first events of the queue that share a fate, as far as they fit.
    static func next(of waiting: [WaitingEvent], limit: BatchLimit, owners: EventOwners) -> Next {
        var strays: [Int64] = []
        var builder = Builder(limit: limit)
        collecting: for event in waiting {
            switch owners.fate(of: event.owner) {
            case .leaves(let reference):
                guard strays.isEmpty, builder.add(event, reference: reference) else { break collecting }
            case .strays:
                guard builder.isEmpty else { break collecting }
                strays.append(event.id)
            case .waits:
                break collecting
            }
        }
        if !strays.isEmpty { return .strays(strays) }
        return builder.batch.map { .batch($0) } ?? .nothing
    }

    /// Collects events as long as they fit.
    struct Builder {
        let limit: BatchLimit
        private var rows: [Int64] = []
        private var body = EventBatch.opening

        init(limit: BatchLimit) {
            self.limit = limit
        }

        var isEmpty: Bool { rows.isEmpty }

        /// - Parameter reference: that of the event's contact; nil for the one whom the token names.
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

        /// Puts the contact's reference, which only a link makes known, into the event's JSON object (ID-7).
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
