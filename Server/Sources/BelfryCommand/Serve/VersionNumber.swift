/// A program's version such as `1.10.0` or `1.10.0-rc.1`. Versions are ordered as in Semantic Versioning 2.0.0: by
/// numbers, not by letters.
struct VersionNumber: Hashable, Sendable {
    let text: String
    private let numbers: [Part]
    /// The parts of a pre-release version; empty for a release.
    private let early: [Part]

    /// A numeric or alphanumeric part of a pre-release version.
    fileprivate enum Part: Hashable, Sendable {
        /// The digits of a number without leading zeros, because a number has no maximum.
        case number([UInt8])
        case word([UInt8])

        var isNumber: Bool {
            if case .number = self { true } else { false }
        }
    }

    /// Returns nil for a text that is not a version.
    init?(_ text: String) {
        let halves = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
            .map(Self.parts)
        guard let numbers = halves[0], numbers.allSatisfy(\.isNumber) else { return nil }
        if halves.count > 1, halves[1] == nil { return nil }
        self.text = text
        self.numbers = numbers
        early = halves.count > 1 ? halves[1] ?? [] : []
    }

    /// The parts between the dots; nil when a part is empty.
    private static func parts(_ text: Substring.UTF8View) -> [Part]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return parts.map { part in
            part.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
                ? .number(Array(part.drop { $0 == UInt8(ascii: "0") })) : .word(Array(part))
        }
    }
}

extension VersionNumber: Comparable {
    static func < (one: VersionNumber, other: VersionNumber) -> Bool {
        if one.numbers != other.numbers { return one.numbers.lexicographicallyPrecedes(other.numbers) }
        // A pre-release comes before its release.
        if one.early.isEmpty != other.early.isEmpty { return other.early.isEmpty }
        return one.early.lexicographicallyPrecedes(other.early)
    }
}

extension VersionNumber.Part: Comparable {
    static func < (one: VersionNumber.Part, other: VersionNumber.Part) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)):
            one.count != other.count ? one.count < other.count : one.lexicographicallyPrecedes(other)
        case (.number, .word): true
        case (.word, .number): false
        case (.word(let one), .word(let other)): one.lexicographicallyPrecedes(other)
        }
    }
}
