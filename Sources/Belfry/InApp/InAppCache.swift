import BelfryRules

/// The in-app messages on the device, without their content: the values that decisions need, kept in memory.
struct InAppCache: Sendable {
    private var messages: [String: InAppCandidate] = [:]

    init(_ stored: [StoredInAppMessage] = []) {
        keep(stored)
    }

    /// In no particular order.
    var candidates: [InAppCandidate] { Array(messages.values) }

    func candidate(_ id: String) -> InAppCandidate? { messages[id] }

    /// The inline messages.
    var inlines: [String: InAppCandidate] { messages.filter { $0.value.type == .inline } }

    mutating func keep(_ stored: [StoredInAppMessage]) {
        for message in stored {
            messages[message.id] = message.candidate
        }
    }

    mutating func remove(_ ids: some Sequence<String>) {
        for id in ids {
            messages[id] = nil
        }
    }

    /// The ids of the messages beyond the maximum: the first by priority and age stay.
    var surplus: [String] {
        guard messages.count > StoredInAppMessage.maximumKept else { return [] }
        return messages.values.sorted(by: InAppCandidate.comesFirst).dropFirst(StoredInAppMessage.maximumKept).map(\.id)
    }
}
