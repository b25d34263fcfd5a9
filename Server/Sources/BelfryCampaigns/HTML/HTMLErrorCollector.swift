import BelfryModel

/// Collects the errors in an HTML text, each once.
struct HTMLErrorCollector {
    /// The maximum number of errors that are reported for one text.
    static let maximumErrors = 5
    /// How much of a name is kept, in bytes. No rule knows a longer one, and names distinguish the ways through a text,
    /// so a long one would cost its length for each of its bytes.
    static let maximumNameBytes = 64

    let rules: HTMLRules
    private let source: [UInt8]
    /// Whether one of ``HTMLElements/foreign`` has begun in any reading. It counts as open from then on.
    private(set) var mayBeForeign = false
    /// The current position, in bytes.
    var offset = 0
    private(set) var found: [ValueError] = []
    private var known: Set<String> = []

    init(_ source: String, policy: HTMLPolicy) {
        self.source = Array(source.utf8)
        rules = HTMLRules(policy: policy)
    }

    var isFull: Bool { found.count >= Self.maximumErrors }

    /// - Parameter isCertain: whether a known browser may see an element here.
    mutating func judge(element: [UInt8], isCertain: Bool) {
        if isCertain, HTMLElements.foreign.contains(element) { mayBeForeign = true }
        reject(rules.violation(ofElement: Self.text(element)))
    }

    mutating func judge(attribute: [UInt8], in element: [UInt8]) {
        reject(rules.violation(ofAttribute: Self.text(attribute), in: Self.text(element)))
    }

    mutating func judge(_ value: ValueReading.Violation, of attribute: [UInt8]) {
        reject(rules.violation(of: value, in: Self.text(attribute)))
    }

    mutating func judge(_ style: StyleReading.Violation) {
        reject(rules.violation(of: style, in: "style"))
    }

    /// - Parameter what: the end of a sentence that begins with "In line 3".
    mutating func reject(_ code: String, _ what: String) {
        guard !isFull, known.insert(what).inserted else { return }
        let line = source.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
        found.append(ValueError(code: code, message: "In line \(line) \(what)."))
    }

    private mutating func reject(_ violation: HTMLRules.Violation?) {
        if let violation { reject(violation.code, violation.what) }
    }

    /// Appends a byte of a name in lower case, up to the maximum length.
    static func append(_ byte: UInt8, to name: inout [UInt8]) {
        if name.count < maximumNameBytes { name.append(HTMLByte.lowered(byte)) }
    }

    /// A name as text, for messages and rules.
    static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
}
