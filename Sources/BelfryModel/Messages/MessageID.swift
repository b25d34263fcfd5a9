import Foundation

/// The id of a push for one campaign and one device (PUSH-5): the `apns-id` and the payload's `sid`.
///
/// It is a UUID of version 8 (RFC 9562 §5.8). Its first 48 bits are the campaign's number, its other 74 bits a digest
/// of campaign and device. So a retry has the same id, and an event with the `sid` finds its row in the ledger without
/// an index: the device is known, and the id contains the campaign.
public struct MessageID: Hashable, Sendable {
    public let uuid: UUID

    /// - Parameter digest: at least 10 bytes of a digest over campaign and device.
    @inlinable
    public init(campaign: CampaignID, digest: some Sequence<UInt8>) {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { bytes in
            for index in 0..<6 {
                bytes[index] = UInt8(truncatingIfNeeded: campaign.number >> (8 * (5 - index)))
            }
            var index = 6
            for byte in digest where index < 16 {
                bytes[index] = byte
                index += 1
            }
            bytes[6] = 0x80 | (bytes[6] & 0x0f)
            bytes[8] = 0x80 | (bytes[8] & 0x3f)
        }
        uuid = UUID(uuid: value)
    }

    public init?(_ text: String) {
        guard Self.isUUID(text), let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// Whether the text has the form of a UUID: ASCII digits with dashes between them (RFC 9562 §4).
    private static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
            }
        }
    }

    /// An id that contains no campaign.
    public init(foreign uuid: UUID) {
        self.uuid = uuid
    }

    /// The campaign in the id; nil when the id is not one of Belfry's.
    public var campaign: CampaignID? {
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        guard bytes[6] >> 4 == 8 else { return nil }
        return CampaignID(bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) })
    }

    /// The id in lower case, as APNs returns it. A campaign makes one for each device, and Foundation's formatting
    /// takes ten times as long.
    public var text: String {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var place = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    (text[place], text[place + 1]) = byte.hexDigits(uppercase: false)
                    place += 2
                }
                return place
            }
        }
    }
}

extension MessageID: CustomStringConvertible {
    public var description: String { text }
}
