import BelfryModel
import Crypto

extension MessageID {
    /// The id of the push for one campaign and one device: the same at each attempt (PUSH-5).
    package static func make(campaign: CampaignID, device: DeviceID) -> MessageID {
        var text = "\(campaign.number):\(device.canonical)"
        let digest = text.withUTF8 { utf8 in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(utf8))
            return hash.finalize()
        }
        return MessageID(campaign: campaign, digest: digest)
    }
}
