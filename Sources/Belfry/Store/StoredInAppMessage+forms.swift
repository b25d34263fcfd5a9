import BelfryModel
import BelfryRules
import Foundation

extension StoredInAppMessage {
    /// What decides whether it may be shown.
    var candidate: InAppCandidate {
        InAppCandidate(
            id: id,
            campaignID: body.campaignId,
            version: body.version,
            type: body.type,
            priority: body.priority,
            trigger: body.trigger,
            viewID: body.viewId,
            startsAt: startsAt,
            endsAt: endsAt,
            displayLimit: body.displayLimit,
            displayCount: body.displayCount ?? 0,
            displayEpoch: body.displayEpoch ?? 0,
            delay: TimeInterval(body.delaySeconds)
        )
    }

    /// As the app sees it.
    ///
    /// - Parameter displayCount: how often the person saw it.
    func message(displayCount: Int) -> InAppMessage {
        InAppMessage(
            id: id,
            version: body.version,
            campaignID: body.campaignId,
            type: body.type,
            priority: body.priority,
            trigger: body.trigger,
            viewID: body.viewId,
            startsAt: startsAt,
            endsAt: endsAt,
            displayLimit: body.displayLimit,
            displayCount: displayCount,
            delay: TimeInterval(body.delaySeconds),
            content: body.content
        )
    }
}
