import BelfryModel
import Crypto

extension MessageID {
    /// The id of the push for one campaign and one device: the same at each attempt (PUSH-5).
    package static func make(campaign: CampaignID, device: DeviceID) -> MessageID {
        make(campaign: campaign, recipient: device.canonical)
    }

    /// The id of the message that a campaign keeps in a contact's centre: the same on all its devices (MC-8). It needs
    /// no column, for it names its campaign, and the contact is known of whoever shows it.
    package static func make(campaign: CampaignID, contact: Int64) -> MessageID {
        make(campaign: campaign, recipient: "contact:" + String(contact))
    }

    /// Joined and not interpolated: lists of messages and campaigns make many.
    private static func make(campaign: CampaignID, recipient: String) -> MessageID {
        var text = String(campaign.number) + ":" + recipient
        let digest = text.withUTF8 { utf8 in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(utf8))
            return hash.finalize()
        }
        return digest.withUnsafeBytes { MessageID(campaign: campaign, digest: $0) }
    }
}
