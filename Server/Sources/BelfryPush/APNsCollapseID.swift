import BelfryModel
import Crypto

/// The `apns-collapse-id`: of two notifications with the same one, the device shows the later.
///
/// APNs compares it per device, so one id for the whole campaign makes a repeated send show once (PUSH-5).
enum APNsCollapseID {
    /// Bytes.
    static let maximumLength = 64

    static func text(of content: PushContent, campaign: CampaignID) -> String {
        guard let own = content.collapseId, !own.isEmpty else { return "belfry-\(campaign)" }
        let fitsHeader = own.utf8.count <= maximumLength && own.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        // What a header cannot carry still collapses with its like: its digest has 43 characters.
        return fitsHeader ? own : Base64URL.encode(SHA256.hash(data: Array(own.utf8)))
    }
}
