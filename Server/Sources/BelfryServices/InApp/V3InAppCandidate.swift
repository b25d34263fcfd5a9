import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// An active in-app campaign without its content. The same rules as on a device decide whether a client of version 3
/// gets its message (IAM-5, IAM-6).
struct V3InAppCandidate: Hashable, Sendable {
    let id: CampaignID
    let launchedAt: Date
    /// The message as a device would have it.
    let message: InAppCandidate
    /// Nil for an inline message, which has no trigger.
    let trigger: WeighedTrigger?

    init?(_ row: CampaignRow) {
        guard let draft = row.campaign.draft.inApp else { return nil }
        id = row.id
        launchedAt = row.campaign.launchedAt ?? row.campaign.createdAt
        trigger = draft.type == .inline ? nil : draft.trigger.map(WeighedTrigger.init)
        message = InAppCandidate(
            id: row.id.description, campaignID: row.id.description, version: row.campaign.inAppVersion,
            type: draft.type, priority: draft.effectivePriority, trigger: draft.trigger, viewID: draft.viewId,
            startsAt: draft.startsAt, endsAt: draft.endsAt, displayLimit: draft.effectiveDisplayLimit,
            displayEpoch: row.campaign.displayEpoch
        )
    }

    /// Whether the message may be displayed by its own terms, after this number of displays.
    func isOpen(at now: Date, displays: Int = 0) -> Bool {
        message.violatedTerm(displays: displays, at: now) == nil
    }
}
