import Foundation

/// The identity of one installation, the same value as `X-Client-Id` (REG-1, WIRE-20). Belfry's SDK makes a UUID once;
/// clients of Mobile Engage v3 may keep an older id, such as a hardware id or a Firebase instance id.
///
/// Of a UUID the spelling is kept as the device sends it, and counts for nothing: upper and lower case name one
/// installation. Any other id is compared as it is spelled.
public struct DeviceID: Sendable {
    /// Characters.
    public static let maximumLength = 128

    /// As the device spells it: for people, and for echoing back.
    public let rawValue: String
    /// A UUID in lower case, any other id as it is: what ids are compared, stored under and signed by.
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

    /// Whether upper and lower case count for nothing.
    public var isUUID: Bool { Self.isUUID(rawValue) }

    /// Whether a text is a UUID of 36 characters, in either case. Foundation's reading of one costs a microsecond, and
    /// the server meets an id with each call.
    public static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36 && text.utf8.enumerated().allSatisfy(mayStand)
    }

    /// What an id that somebody names is compared by, even if it can be none.
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
