import BelfryModel
import BelfryServerModel

/// What a push tells the device beside its content; the same for all recipients of a campaign.
package struct PushExtras: Hashable, Sendable {
    package static let none = PushExtras()

    /// The campaign keeps a message in a center, so the device is to fetch (MC-4).
    package var keepsMessage: Bool
    /// The push brings the device's new ``Badge`` (BADGE-5).
    package var changesBadge: Bool
    /// There may be in-app messages to fetch (IAM-2).
    package var fetchesInApp: Bool
    /// The first text of each recipient is a nonce that the device sends back (REG-23).
    package var bringsNonce: Bool

    package init(
        keepsMessage: Bool = false, changesBadge: Bool = false, fetchesInApp: Bool = false, bringsNonce: Bool = false
    ) {
        self.keepsMessage = keepsMessage
        self.changesBadge = changesBadge
        self.fetchesInApp = fetchesInApp
        self.bringsNonce = bringsNonce
    }

    package init(_ draft: CampaignDraft) {
        self.init(keepsMessage: draft.kind.keepsMessage, changesBadge: draft.badgeChange != nil)
    }

    /// Of a push that tells the device to fetch, and nothing else (PUSH-7).
    package init(_ reasons: SilentPushReasons) {
        self.init(
            keepsMessage: reasons.contains(.messageCenter), fetchesInApp: reasons.contains(.inApp),
            bringsNonce: reasons.contains(.takeover)
        )
    }
}

/// How a push reaches a device.
package enum PushStyle: Hashable, Sendable, CaseIterable {
    /// As a notification that people see.
    case alert
    /// As a word to the app that nobody sees (PUSH-7).
    case silent
    /// As a new number on the app's icon and nothing else that people notice (BADGE-1).
    case badge
}
