import Foundation

/// The identity of one installation: a UUID made once by the SDK, the same value as `X-Client-Id` (REG-1, WIRE-20).
///
/// The spelling is kept as the device sends it, and counts for nothing: upper and lower case name one installation.
public struct DeviceID: Sendable {
    /// As the device spells it: for people, and for echoing back.
    public let rawValue: String
    /// In lower case: what ids are compared, stored under and signed by.
    public let canonical: String

    public init(_ raw: String) throws(ValueError) {
        guard raw.utf8.count == 36, raw.utf8.enumerated().allSatisfy(Self.isUUID) else {
            throw ValueError(code: "invalidDeviceId", message: "A device id is a UUID of 36 characters.")
        }
        rawValue = raw
        canonical = raw.lowercased()
    }

    /// Whether a byte may stand at its place in a UUID. Foundation's reading of one costs a microsecond, and the
    /// server meets an id with each call.
    private static func isUUID(place: Int, byte: UInt8) -> Bool {
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
        canonical = raw.utf8.contains { $0 & 0x20 == 0 && $0 >= UInt8(ascii: "A") } ? raw.lowercased() : raw
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
