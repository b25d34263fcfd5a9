import BelfryModel
import BelfryServerModel

/// What a push tells the device besides its content. It is the same for all recipients of a campaign.
package struct PushExtras: Hashable, Sendable {
    package static let none = PushExtras()

    /// The campaign has a message center message, so the device must fetch it (MC-4).
    package var keepsMessage: Bool
    /// The push sets the device's new ``Badge`` (BADGE-5).
    package var changesBadge: Bool
    /// There may be new in-app messages to fetch (IAM-2).
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

    /// The extras of a silent push, which only tells the device to fetch (PUSH-7).
    package init(_ reasons: SilentPushReasons) {
        self.init(
            keepsMessage: reasons.contains(.messageCenter), fetchesInApp: reasons.contains(.inApp),
            bringsNonce: reasons.contains(.takeover)
        )
    }
}

/// The way a push appears on a device.
package enum PushStyle: Hashable, Sendable, CaseIterable {
    /// As a notification that people see.
    case alert
    /// A message to the app that people do not see (PUSH-7).
    case silent
    /// A new number on the app's icon, without anything else that people notice (BADGE-1).
    case badge
}
