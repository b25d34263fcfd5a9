import BelfryModel
import Crypto

extension MessageID {
    /// The id of the push for one campaign and one device: the same at each attempt (PUSH-5).
    package static func make(campaign: CampaignID, device: DeviceID) -> MessageID {
        // Joined and not interpolated, which takes longer.
        let digest = SHA256.digest(of: String(campaign.number) + ":" + device.canonical)
        return digest.withUnsafeBytes { MessageID(campaign: campaign, digest: $0) }
    }

    /// The id of the message that a campaign keeps in a contact's centre: the same on all its devices (MC-8). It needs
    /// no column, for it names its campaign, and the contact is known of whoever shows it.
    package static func make(campaign: CampaignID, contact: Int64) -> MessageID {
        MessageOwner(contact: contact).id(of: campaign)
    }
}

/// Whose messages they are: the digest in the ids of all that one contact is kept, made once for a list of them (PERF-7).
package struct MessageOwner {
    private let digest: SHA256.Digest

    package init(contact: Int64) {
        digest = SHA256.digest(of: "contact:" + String(contact))
    }

    package func id(of campaign: CampaignID) -> MessageID {
        digest.withUnsafeBytes { MessageID(campaign: campaign, digest: $0) }
    }
}

extension SHA256 {
    /// Of a text's UTF-8 as it lies there: a campaign makes one for each device.
    fileprivate static func digest(of text: String) -> Digest {
        var text = text
        return text.withUTF8 { utf8 in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(utf8))
            return hash.finalize()
        }
    }
}
