import Foundation

/// The identity of one installation, the same value as `X-Client-Id` (REG-1, WIRE-20). Belfry's SDK creates a UUID
/// once; clients of Mobile Engage v3 may use an older id, such as a hardware id or a Firebase instance id.
///
/// UUIDs are compared case-insensitively, but the device's spelling is kept. Any other id is compared exactly.
public struct DeviceID: Sendable {
    /// The maximum length in characters.
    public static let maximumLength = 128

    /// The device's own spelling, for people and for responses.
    public let rawValue: String
    /// A UUID in lower case, any other id unchanged: the form that is compared, stored and signed.
    public let canonical: String

    public init(_ raw: String) throws(ValueError) {
        if Self.isUUID(raw) {
            rawValue = raw
            canonical = raw.lowercased()
            return
        }
        guard (1...Self.maximumLength).contains(raw.utf8.count), raw.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            raw.utf8.first != UInt8(ascii: " "), raw.utf8.last != UInt8(ascii: " ")
        else {
            throw ValueError(
                code: "invalidDeviceId",
                message: "A device id has 1 to \(Self.maximumLength) printable ASCII characters, and no space at its "
                    + "ends."
            )
        }
        rawValue = raw
        canonical = raw
    }

    /// Whether the id is a UUID, which is compared case-insensitively.
    public var isUUID: Bool { Self.isUUID(rawValue) }

    /// Whether a text is a UUID of 36 characters, in either case. Foundation's parser takes a microsecond, and the
    /// server reads an id with each call.
    public static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36 && text.utf8.enumerated().allSatisfy(mayStand)
    }

    /// The form in which a given id is compared, even if it is not a valid id.
    public static func canonical(of text: String) -> String {
        isUUID(text) ? text.lowercased() : text
    }

    private static func mayStand(place: Int, byte: UInt8) -> Bool {
        switch (place, byte) {
        case (8, _), (13, _), (18, _), (23, _): byte == UInt8(ascii: "-")
        case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")),
            (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
            true
        default: false
        }
    }

    /// An id that was checked before it was stored. A campaign reads one for each device, most of them in lower case.
    public init(stored raw: String) {
        rawValue = raw
        let hasUpperCase = raw.utf8.contains { $0 & 0x20 == 0 && $0 >= UInt8(ascii: "A") }
        canonical = hasUpperCase ? Self.canonical(of: raw) : raw
    }

    public init(_ uuid: UUID) {
        rawValue = uuid.uuidString
        canonical = rawValue.lowercased()
    }
}

extension DeviceID: Hashable {
    public static func == (left: DeviceID, right: DeviceID) -> Bool {
        left.canonical == right.canonical
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(canonical)
    }
}

extension DeviceID: CustomStringConvertible {
    public var description: String { rawValue }
}
