import BelfryModel

// What a call holds of events is bounded in bytes as well as in events: each may have 64 KiB, and anybody's device sends
// them (SEC-2).

extension [String: AttributeValue] {
    /// About how many bytes they take.
    package var bytes: Int {
        reduce(0) { sum, entry in
            guard case .string(let text) = entry.value else { return sum + entry.key.utf8.count + 8 }
            return sum + entry.key.utf8.count + text.utf8.count
        }
    }
}

extension EventRow {
    /// About how many bytes it takes.
    package var bytes: Int { eventID.utf8.count + name.utf8.count + attributes.bytes }
}
