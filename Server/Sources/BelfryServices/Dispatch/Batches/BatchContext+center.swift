import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

extension BatchContext {
    var style: PushStyle {
        switch row.campaign.draft.kind {
        case .silent: .silent
        case .messageCenter: .badge
        case .push, .pushAndMessageCenter, .inApp: .alert
        }
    }

    /// Whether the campaign's pushes go to browsers. A browser shows something for each push, or ends the subscription,
    /// so silent pushes go there only if the campaign asks for it (PUSH-7).
    var goesToBrowsers: Bool { style != .silent || content.browsers == true }

    /// Whether the campaign's purpose is a message center message, with a push for the badge at most (MC-3).
    var isPlacing: Bool { row.campaign.draft.kind == .messageCenter }

    /// Whether an operator recalled the campaign's messages; then no more are placed.
    var isRecalled: Bool { row.campaign.recalledAt != nil }

    var extras: PushExtras { PushExtras(keepsMessage: center != nil, changesBadge: badge != nil) }

    /// The campaign's own end. After it no message is placed, and no push for one is sent.
    var endsAt: Date? {
        guard let expiresAt = center?.expiresAt else { return schedule?.expiresAt }
        return min(expiresAt, schedule?.expiresAt ?? expiresAt)
    }

    /// Only the push, for a test send: no message is stored and no badge changes.
    var withoutPreparation: BatchContext {
        var load = self
        load.center = nil
        load.badge = nil
        return load
    }

    func canRender(_ recipient: Recipient) -> Bool {
        templates.canRender(recipient) && (recipient.contact == nil || center?.messages.canRender(recipient) ?? true)
    }
}

extension CampaignDraft {
    /// The content for push services; the badge push of a message-center campaign has none.
    var sentContent: PushContent? {
        kind == .messageCenter ? PushContent(title: "", body: "") : push
    }

    /// Whether the campaign sends through a push service at all. A browser must show something for each push, so it
    /// gets none for a badge alone (BADGE-1).
    func isPushed(by provider: PushProvider) -> Bool {
        kind != .messageCenter || (badgeChange != nil && provider != .webpush)
    }
}
