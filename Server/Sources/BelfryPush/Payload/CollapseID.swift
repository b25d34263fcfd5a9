import BelfryModel
import BelfryServerModel
import Crypto

/// The collapse id of a notification. The device replaces a notification by a later one with the same id.
///
/// Services compare it per device, so one id for the whole campaign makes a repeated send show once (PUSH-5).
enum CollapseID {
    /// The maximum length of an `apns-collapse-id` in bytes; FCM gets the same.
    static let maximumLength = 64
    /// The maximum length of a Web Push `Topic` in characters (RFC 8030 §5.4).
    static let maximumTopicLength = 32

    static func text(of content: PushContent, campaign: CampaignID?) -> String {
        guard let own = content.collapseId, !own.isEmpty else { return standard(campaign) }
        let fitsHeader = own.utf8.count <= maximumLength && own.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        // An id that does not fit into a header is replaced by its digest of 43 characters, which still collapses with
        // equal ids.
        return fitsHeader ? own : digest(own)
    }

    /// The `Topic`, in letters of base64url only.
    static func topic(of content: PushContent, campaign: CampaignID?) -> String {
        guard let own = content.collapseId, !own.isEmpty else { return standard(campaign) }
        let isLetter: (UInt8) -> Bool = { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        let fitsTopic = own.utf8.count <= maximumTopicLength && own.utf8.allSatisfy(isLetter)
        // 192 bits of the digest are still enough to tell any two apart.
        return fitsTopic ? own : String(digest(own).prefix(maximumTopicLength))
    }

    private static func standard(_ campaign: CampaignID?) -> String { campaign.map { "belfry-\($0)" } ?? "belfry" }

    private static func digest(_ text: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(text.utf8)))
    }
}
