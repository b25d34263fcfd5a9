import BelfryModel
import Crypto

extension MessageID {
    /// The id of the push for one campaign and one device: the same for each attempt (PUSH-5).
    package static func make(campaign: CampaignID, device: DeviceID) -> MessageID {
        MessageNaming(campaign: campaign).id(device)
    }

    /// The id of a campaign's message in a contact's message center: the same on all devices of the contact (MC-8). It
    /// needs no column, because it contains the campaign, and the contact is known wherever it is used.
    package static func make(campaign: CampaignID, contact: Int64) -> MessageID {
        MessageOwner(contact: contact).id(of: campaign)
    }
}

/// Makes the ids of one campaign's pushes. The common beginning of their digests is hashed once.
package struct MessageNaming: Sendable {
    private let campaign: CampaignID
    private let begun: SHA256

    package init(campaign: CampaignID) {
        self.campaign = campaign
        begun = SHA256().adding(String(campaign.number) + ":")
    }

    package func id(_ device: DeviceID) -> MessageID {
        begun.adding(device.canonical).finalize().withUnsafeBytes { MessageID(campaign: campaign, digest: $0) }
    }
}

/// The holder of messages: the digest in the ids of all messages of one contact, made once for a list of them (PERF-7).
package struct MessageOwner {
    private let digest: SHA256.Digest

    package init(contact: Int64) {
        digest = SHA256().adding("contact:" + String(contact)).finalize()
    }

    package func id(of campaign: CampaignID) -> MessageID {
        digest.withUnsafeBytes { MessageID(campaign: campaign, digest: $0) }
    }
}

extension SHA256 {
    /// The digest with the text's UTF-8 added, read in place.
    fileprivate func adding(_ text: String) -> SHA256 {
        var (hash, text) = (self, text)
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash
    }
}
