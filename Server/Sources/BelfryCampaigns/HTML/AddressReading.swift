/// Reads the address in an attribute byte by byte, as far as its scheme.
///
/// Browsers remove tabs and line feeds from an address, and blanks and control characters from its beginning. This
/// removes all of them everywhere, so that no scheme is missed.
struct AddressReading: Hashable {
    private enum Stage: Hashable {
        /// The bytes so far, which may still become a scheme.
        case scheme([UInt8])
        /// After `data:`, where an image may follow.
        case data([UInt8])
        /// Within a `data:` address.
        case embedded
        /// The scheme is known, or there is none.
        case settled
    }

    /// No rejected scheme is longer.
    private static let maximumLength = 32
    private static let image = Array("image/".utf8)

    /// The separator in a list of addresses; nil for a single address. A recipient's value could contain it, so lists
    /// take no values.
    private let separator: UInt8?
    private let takesImages: Bool
    private var references = CharacterReferences()
    private var stage = Stage.scheme([])

    /// - Parameter takesImages: whether a `data:` address of an image is permitted.
    init(separator: UInt8? = nil, takesImages: Bool) {
        self.separator = separator
        self.takesImages = takesImages
    }

    /// The scheme that is known with this byte, in lower case. `data` only where it is not permitted.
    mutating func read(_ byte: UInt8) -> String? {
        // Most of an address follows its scheme and does not matter.
        if separator == nil, stage == .settled || stage == .embedded { return nil }
        if references.isPlain(byte) { return take(byte) }
        var decoded: [UInt8] = []
        references.read(byte, into: &decoded)
        return take(decoded)
    }

    /// The scheme that is known at the end of the value, as in ``read(_:)``.
    mutating func end() -> String? {
        var decoded: [UInt8] = []
        references.end(into: &decoded)
        let found = take(decoded)
        if case .data = stage { return "data" }
        return found
    }

    /// Why a recipient's value is not permitted here. Nil if it is.
    var errorOfValue: String? {
        if separator != nil { return "in a list of addresses" }
        return switch stage {
        case .scheme: "in the scheme of an address"
        case .data, .embedded: "in a 'data:' address"
        case .settled: nil
        }
    }

    private mutating func take(_ bytes: [UInt8]) -> String? {
        var found: String?
        for byte in bytes { found = take(byte) ?? found }
        return found
    }

    private mutating func take(_ byte: UInt8) -> String? {
        guard byte > 0x20 else { return nil }
        if byte == separator { return next() }
        switch stage {
        case .scheme(let front): return takeScheme(byte, behind: front)
        case .data(let front):
            let front = front + [HTMLByte.lowered(byte)]
            if front == Self.image { stage = .embedded } else { stage = .data(front) }
            guard Self.image.starts(with: front), takesImages else {
                stage = .settled
                return "data"
            }
        case .embedded, .settled: break
        }
        return nil
    }

    private mutating func takeScheme(_ byte: UInt8, behind front: [UInt8]) -> String? {
        if byte == UInt8(ascii: ":"), !front.isEmpty {
            let scheme = String(decoding: front, as: UTF8.self)
            stage = scheme == "data" ? .data([]) : .settled
            return scheme == "data" ? nil : scheme
        }
        let isPart = HTMLByte.isLetter(byte) || (!front.isEmpty && Self.continuesScheme(byte))
        stage = isPart && front.count < Self.maximumLength ? .scheme(front + [HTMLByte.lowered(byte)]) : .settled
        return nil
    }

    private mutating func next() -> String? {
        defer { stage = .scheme([]) }
        if case .data = stage { return "data" }
        return nil
    }

    private static func continuesScheme(_ byte: UInt8) -> Bool { HTMLByte.isDigit(byte) || "+-.".utf8.contains(byte) }
}
