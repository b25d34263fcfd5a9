import Foundation

/// The one id of a push for one campaign and one device (PUSH-5): the `apns-id` and the payload's `sid`.
///
/// It is a UUID of version 8 (RFC 9562 §5.8) whose first 48 bits are the campaign's number and whose other
/// 74 bits are a digest of campaign and device. So a retry carries the same id, and an event that echoes the
/// `sid` finds its row in the ledger without an index: the device is known, the campaign stands in the id.
public struct MessageID: Hashable, Sendable {
    public let uuid: UUID

    /// - Parameter digest: at least 10 bytes of a digest over campaign and device.
    public init(campaign: CampaignID, digest: some Sequence<UInt8>) {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<6 {
            bytes[index] = UInt8(truncatingIfNeeded: campaign.number >> (8 * (5 - index)))
        }
        for (index, byte) in zip(6..<16, digest) {
            bytes[index] = byte
        }
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// The campaign that the id names; nil when the id is not one of ours.
    public var campaign: CampaignID? {
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        guard bytes[6] >> 4 == 8 else { return nil }
        return CampaignID(bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) })
    }

    /// In lower case, as APNs echoes it.
    public var text: String { uuid.uuidString.lowercased() }
}

extension MessageID: CustomStringConvertible {
    public var description: String { text }
}
