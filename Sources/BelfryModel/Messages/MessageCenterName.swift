/// The name of an app's message center: 1 to 64 of `A–Z a–z 0–9 - _`, compared exactly (MC-2). Spaces around it are not
/// trimmed: a name has the same spelling everywhere.
public struct MessageCenterName: Hashable, Sendable {
    public static let maximumLength = 64
    /// The center that every app has.
    public static let primary = MessageCenterName(stored: "Primary")

    public let rawValue: String

    public init(_ name: String) throws(ValueError) {
        guard (1...Self.maximumLength).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed) else {
            throw ValueError(
                code: "invalidMessageCenterName",
                message: "A message center's name has 1 to \(Self.maximumLength) letters, digits, '-' or '_'."
            )
        }
        rawValue = name
    }

    /// A name that was checked before it was stored.
    public init(stored name: String) {
        rawValue = name
    }

    public var isPrimary: Bool { self == .primary }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}

extension MessageCenterName: CustomStringConvertible {
    public var description: String { rawValue }
}

extension MessageCenterName: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(ValueError) {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
