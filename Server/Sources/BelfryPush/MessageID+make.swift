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
        make(campaign: campaign, recipient: "contact:", contact)
    }

    /// The digest of `CAMPAIGN:RECIPIENT`, written where it is hashed: lists of messages and campaigns make many.
    private static func make(campaign: CampaignID, recipient: String, _ number: Int64? = nil) -> MessageID {
        var recipient = recipient
        let digest = withUnsafeTemporaryAllocation(byteCount: 64 + recipient.utf8.count, alignment: 1) { text in
            var end = write(campaign.number, to: text, at: 0)
            text[end] = UInt8(ascii: ":")
            end += 1
            recipient.withUTF8 { UnsafeMutableRawBufferPointer(rebasing: text[end...]).copyBytes(from: $0) }
            end += recipient.utf8.count
            if let number { end = write(number, to: text, at: end) }
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: text[..<end]))
            return hash.finalize()
        }
        return digest.withUnsafeBytes { MessageID(campaign: campaign, digest: $0) }
    }

    /// Writes a number in decimal digits, at most 20 bytes with its sign; returns where it ends.
    private static func write(_ number: Int64, to text: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var start = start
        if number < 0 {
            text[start] = UInt8(ascii: "-")
            start += 1
        }
        var rest = number.magnitude
        var digits = 1
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = number.magnitude
        for place in stride(from: start + digits - 1, through: start, by: -1) {
            text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        return start + digits
    }
}
