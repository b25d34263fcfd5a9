import Foundation

/// The identity of one installation: a UUID made once by the SDK, the same value as `X-Client-Id` (REG-1, WIRE-20).
///
/// The spelling is kept as the device sends it.
public struct DeviceID: Hashable, Sendable {
    public let rawValue: String

    public init(_ raw: String) throws(Refusal) {
        guard raw.utf8.count == 36, UUID(uuidString: raw) != nil else {
            throw Refusal(code: "invalidDeviceId", message: "A device id is a UUID of 36 characters.")
        }
        rawValue = raw
    }

    public init(_ uuid: UUID) {
        rawValue = uuid.uuidString
    }
}

extension DeviceID: CustomStringConvertible {
    public var description: String { rawValue }
}
