import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

extension RoundLoad {
    var style: PushStyle {
        switch row.campaign.draft.kind {
        case .silent: .silent
        case .messageCenter: .badge
        case .push, .pushAndMessageCenter, .inApp: .alert
        }
    }

    /// What is in a centre counts, and a push beside it is an extra: whoever has a contact is a recipient (MC-3).
    var isPlacing: Bool { row.campaign.draft.kind == .messageCenter }

    /// Whether something changes on the server before a push may leave.
    var isPrepared: Bool { center != nil || badge != nil }

    var extras: PushExtras { PushExtras(keepsMessage: center != nil, changesBadge: badge != nil) }

    /// The campaign's own end. A message that nobody would see any more is not placed, and no push tells of it.
    var endsAt: Date? {
        guard let expiresAt = center?.expiresAt else { return schedule?.expiresAt }
        return min(expiresAt, schedule?.expiresAt ?? expiresAt)
    }

    /// The push alone, as a test shows it: no message is kept and no badge counts.
    var withoutPreparation: RoundLoad {
        var load = self
        load.center = nil
        load.badge = nil
        return load
    }

    func canRender(_ recipient: Recipient) -> Bool {
        templates.canRender(recipient) && (recipient.contact == nil || center?.canRender(recipient) ?? true)
    }
}

extension CampaignDraft {
    /// What goes to push services; a message-centre campaign's badge push says nothing of its own.
    var sentContent: PushContent? {
        kind == .messageCenter ? PushContent(title: "", body: "") : push
    }

    /// Whether the campaign sends through a push service at all. A browser must show something for each push, so it
    /// gets none for a badge alone (BADGE-1).
    func isPushed(by provider: PushProvider) -> Bool {
        kind != .messageCenter || (badgeChange != nil && provider != .webpush)
    }
}
