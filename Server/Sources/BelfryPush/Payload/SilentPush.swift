import BelfryModel
import BelfryServerModel
import Crypto
import Foundation

/// The push that tells a device to fetch, shows nothing and belongs to no campaign (PUSH-7).
package enum SilentPush {
    /// Seconds that a push service keeps it for a device that cannot be reached: later, the app has fetched by itself,
    /// or is not used any more.
    package static let lifetime: TimeInterval = 86_400

    /// What a push with these reasons says. Only those that say the same take each other's place at the push service,
    /// or a reason would be lost on the way.
    package static func content(of reasons: SilentPushReasons) -> PushContent {
        PushContent(title: "", body: "", collapseId: "belfry-sync-\(reasons.rawValue)", ttlSeconds: Int(lifetime))
    }
}

extension MessageID {
    /// The id of one of a device's silent pushes: the same at each attempt. It names no campaign, so what the device
    /// reports of it stands in no ledger.
    ///
    /// - Parameter number: another one for each silent push of the device.
    package static func make(silentPush number: Int64, device: DeviceID) -> MessageID {
        let digest = SHA256.hash(data: Array("silent:\(number):\(device.canonical)".utf8))
        // The number of no campaign, and the digest's bytes behind it.
        var bytes = [UInt8](repeating: 0, count: 6) + digest.prefix(10)
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        return MessageID(foreign: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }
}
