/// The condition for the devices of a message to topics: `'weather' in topics && ('news' in topics || !('sports' in
/// topics))`.
///
/// Source: Google, "Send messages to topics": `&&`, `||`, `!` and parentheses, up to five topics.
indirect enum FCMCondition: Sendable, Equatable {
    case topic(String)
    case not(FCMCondition)
    case both(FCMCondition, FCMCondition)
    case either(FCMCondition, FCMCondition)

    /// The maximum number of topics in one condition.
    static let topicLimit = 5
    /// The maximum length of a topic's name in bytes.
    static let nameLimit = 900
    /// The maximum depth of nested parentheses and negations.
    static let depthLimit = 32

    /// Nil if the text is not a condition.
    init?(_ text: String) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let condition = reader.either(depth: 0), reader.isAtEnd, condition.topics.count <= Self.topicLimit else {
            return nil
        }
        self = condition
    }

    var topics: Set<String> {
        switch self {
        case .topic(let name): [name]
        case .not(let condition): condition.topics
        case .both(let one, let other), .either(let one, let other): one.topics.union(other.topics)
        }
    }

    /// Whether the condition holds for a device; `subscribes` says whether the device has subscribed to a topic.
    func holds(_ subscribes: (String) -> Bool) -> Bool {
        switch self {
        case .topic(let name): subscribes(name)
        case .not(let condition): !condition.holds(subscribes)
        case .both(let one, let other): one.holds(subscribes) && other.holds(subscribes)
        case .either(let one, let other): one.holds(subscribes) || other.holds(subscribes)
        }
    }

    /// "Topic names match the pattern of `[a-zA-Z0-9-_.~%]{1,900}`."
    static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.utf8.count)
            && text.utf8.allSatisfy { SimulatorBase64URL.value(of: $0) != nil || [0x2e, 0x7e, 0x25].contains($0) }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return rest.isEmpty
            }
        }

        mutating func either(depth: Int) -> FCMCondition? {
            guard var condition = both(depth: depth) else { return nil }
            while take("||") {
                guard let next = both(depth: depth) else { return nil }
                condition = .either(condition, next)
            }
            return condition
        }

        private mutating func both(depth: Int) -> FCMCondition? {
            guard var condition = single(depth: depth) else { return nil }
            while take("&&") {
                guard let next = single(depth: depth) else { return nil }
                condition = .both(condition, next)
            }
            return condition
        }

        private mutating func single(depth: Int) -> FCMCondition? {
            guard depth < FCMCondition.depthLimit else { return nil }
            if take("!") { return single(depth: depth + 1).map(FCMCondition.not) }
            if take("(") {
                guard let condition = either(depth: depth + 1), take(")") else { return nil }
                return condition
            }
            guard take("'"), let end = rest.firstIndex(of: UInt8(ascii: "'")) else { return nil }
            let name = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            guard FCMCondition.isName(name), take("in"), take("topics") else { return nil }
            return .topic(name)
        }

        private mutating func take(_ word: String) -> Bool {
            skipBlanks()
            guard rest.starts(with: word.utf8) else { return false }
            rest = rest.dropFirst(word.utf8.count)
            return true
        }

        private mutating func skipBlanks() {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
        }
    }
}
