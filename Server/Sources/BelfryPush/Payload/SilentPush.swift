import BelfryModel
import BelfryServerModel
import Crypto
import Foundation

/// The push that tells a device to fetch. It shows nothing and belongs to no campaign (PUSH-7).
package enum SilentPush {
    /// How long a push service keeps the push for an unreachable device, in seconds. After that time the app has
    /// fetched by itself, or is no longer used.
    package static let lifetime: TimeInterval = 86_400

    /// The content of a push with these reasons. Only pushes with the same content replace each other at the push
    /// service; otherwise a reason would be lost.
    package static func content(of reasons: SilentPushReasons) -> PushContent {
        PushContent(title: "", body: "", collapseId: "belfry-sync-\(reasons.rawValue)", ttlSeconds: Int(lifetime))
    }
}

extension MessageID {
    /// The id of one of a device's silent pushes: the same for each attempt. It names no campaign, so what the device
    /// reports about it is in no ledger.
    ///
    /// - Parameter number: differs between the silent pushes of a device.
    package static func make(silentPush number: Int64, device: DeviceID) -> MessageID {
        let digest = SHA256.hash(data: Array("silent:\(number):\(device.canonical)".utf8))
        // Zeros in place of the campaign's number, then bytes of the digest.
        var bytes = [UInt8](repeating: 0, count: 6) + digest.prefix(10)
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        return MessageID(foreign: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }
}
