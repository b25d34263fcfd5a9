import BelfryPush
import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Which state of a draft somebody has looked at: two drafts that say the same have the same version.
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
    /// Throws when a campaign is no longer the draft that somebody has looked at.
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
    /// Whether it says the same, byte by byte: what is one text to Swift (`é` as one code point and as two) is two to a
    /// script, an address or a font.
    func isSame(as other: CampaignDraft) throws -> Bool {
        guard self == other else { return false }
        return try JSONText.encode(self).utf8.elementsEqual(JSONText.encode(other).utf8)
    }
}
