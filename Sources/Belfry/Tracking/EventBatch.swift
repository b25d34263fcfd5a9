import BelfryRules
import BelfryWire
import Foundation

/// Some events of the queue as the body of one request (WIRE-6).
struct EventBatch: Sendable {
    private static let opening = Data(#"{"events":["#.utf8)
    private static let closing = Data("]}".utf8)
    /// What surrounds the events of a batch, with room for one contact reference.
    static let envelopeBytes = 4_096

    /// The rows of the queue, in the order of the body.
    let rows: [Int64]
    let body: Data

    /// Collects events as long as they fit.
    struct Builder {
        let limit: BatchLimit
        let references: [Int: String]
        private var rows: [Int64] = []
        private var body = EventBatch.opening

        init(limit: BatchLimit, references: [Int: String]) {
            self.limit = limit
            self.references = references
        }

        /// - Returns: false when the event does not fit; the first one always does.
        mutating func add(id: Int64, owner: Int, body event: Data) -> Bool {
            let completed = Self.complete(event, reference: references[owner])
            guard rows.count < limit.count else { return false }
            guard rows.isEmpty || body.count + 1 + completed.count + EventBatch.closing.count <= limit.bytes else {
                return false
            }
            if !rows.isEmpty { body.append(UInt8(ascii: ",")) }
            body.append(completed)
            rows.append(id)
            return true
        }

        var batch: EventBatch? {
            rows.isEmpty ? nil : EventBatch(rows: rows, body: body + EventBatch.closing)
        }

        /// Puts the contact's reference, which only a link makes known, into the event's JSON object (ID-7).
        private static func complete(_ event: Data, reference: String?) -> Data {
            guard let reference else { return event }
            var text = JSONText(capacity: event.count + reference.utf8.count + 16)
            text.raw(event.dropLast())
            text.literal(",")
            text.key("contact")
            text.string(reference)
            text.literal("}")
            return Data(text.bytes)
        }
    }
}
