import BelfryPush
import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Identifies the content of a draft that somebody has looked at: two drafts with the same content have the same
/// version.
package struct DraftVersion: Hashable, Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }

    package init(_ draft: CampaignDraft) throws {
        let digest = SHA256.hash(data: Data(try JSONText.encode(draft).utf8))
        text = Base64URL.encode(Array(digest.prefix(12)))
    }
}

extension DraftVersion {
    /// Throws if the campaign is no longer the draft that somebody has looked at.
    package func requireDraft(_ campaign: Campaign) throws {
        guard campaign.status == .draft else {
            throw ServiceError.conflict(
                code: "noDraft", message: "Campaign \(campaign.id) is \(campaign.status.rawValue), not a draft."
            )
        }
        guard try DraftVersion(campaign.draft) == self else {
            throw ServiceError.conflict(
                code: "draftChanged", message: "Somebody else has changed this draft since you opened it."
            )
        }
    }
}

extension CampaignDraft {
    /// Whether two drafts have the same content, byte by byte. Texts that are equal in Swift (`é` as one code point and
    /// as two) are different in a script, an address or a font.
    func isSame(as other: CampaignDraft) throws -> Bool {
        guard self == other else { return false }
        return try JSONText.encode(self).utf8.elementsEqual(JSONText.encode(other).utf8)
    }
}
