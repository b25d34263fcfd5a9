import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Explanations of in-app campaigns. Nothing is sent to the device: it asks for messages, and decides when to show them
/// (IAM-1).
extension Explanation {
    init(row: CampaignRow, delivery: DeliveryRow?, inApp status: InAppDeliveryStatus, clock: ExplanationClock) {
        let campaign = row.campaign
        guard let delivery else {
            self.init(
                state: status.isInAudience == true ? DeliveryState.pending.rawValue : "notInAudience", reason: nil,
                sentence: Self.absence(row, status, clock: clock), history: status.steps.sorted { $0.at < $1.at }
            )
            // No audience is evaluated for a campaign that has ended. For a running one, nil means that the result is
            // unknown.
            let goesOn = [.active, .paused].contains(campaign.status)
            let wasLeftOut = status.isInAudience.map { !$0 } ?? !goesOn
            isOutside = campaign.launchedAt != nil && wasLeftOut
            return
        }
        self.init(
            state: delivery.state.rawValue, reason: delivery.reason?.rawValue,
            sentence: Self.sentence(delivery, campaign, status, clock: clock),
            history: (Self.history(delivery, nil, campaign: campaign) + status.steps).sorted { $0.at < $1.at }
        )
    }

    private static func absence(
        _ row: CampaignRow, _ status: InAppDeliveryStatus, clock: ExplanationClock
    ) -> String {
        guard row.campaign.launchedAt != nil else { return absenceBeforeLaunch(row, clock: clock) }
        switch status.isInAudience {
        case true?: return waiting(row.campaign, status, now: clock.now)
        case false?: return "The device is not in the campaign's audience."
        case nil where [.active, .paused].contains(row.campaign.status):
            return "It is unknown whether the device is in the campaign's audience: its contact has so many events "
                + "that the query takes too long."
        case nil:
            return "The device was not in the campaign's audience when it asked for messages, if it ever did. "
                + ending(of: row.campaign, now: clock.now)
        }
    }

    private static func sentence(
        _ delivery: DeliveryRow, _ campaign: Campaign, _ status: InAppDeliveryStatus, clock: ExplanationClock
    ) -> String {
        switch delivery.state {
        case .pending: waiting(campaign, status, now: clock.now)
        case .accepted: downloaded(delivery, campaign, status, clock: clock)
        case .suppressed where delivery.reason == .expired:
            "It was not downloaded: the campaign ended before the device asked for messages."
        case .suppressed: "It was not downloaded: \(suppression(delivery.reason, note: delivery.note))."
        case .rejected, .cancelled:
            "It was not downloaded: the campaign was cancelled before the device asked for messages."
        }
    }

    /// The sentence that says why a device has not downloaded the message.
    private static func waiting(_ campaign: Campaign, _ status: InAppDeliveryStatus, now: Date) -> String {
        if campaign.status != .active, campaign.status != .paused {
            // An ended campaign's pending rows are ended shortly after its status changes.
            return "It was not downloaded. \(ending(of: campaign, now: now))"
        }
        if campaign.draft.inApp?.hasEnded(by: now) == true { return "It was not downloaded: the campaign has ended." }
        guard campaign.status == .active else {
            return "It is waiting because the campaign is paused. \(campaign.statusReason ?? "")"
                .trimmingCharacters(in: .whitespaces)
        }
        guard status.hasContact else {
            return "It is waiting: the device has no contact, and in-app messages belong to a contact."
        }
        guard status.isInAudience != false else {
            return "The device is no longer in the campaign's audience. If it returns to it, it gets the message."
        }
        return "It has not been downloaded yet: the device has not asked for messages since they were published."
    }

    private static func ending(of campaign: Campaign, now: Date) -> String {
        if campaign.recalledAt != nil { return "The campaign was recalled." }
        return campaign.status == .cancelled ? "The campaign was cancelled." : "The campaign has ended."
    }

    private static func downloaded(
        _ delivery: DeliveryRow, _ campaign: Campaign, _ status: InAppDeliveryStatus, clock: ExplanationClock
    ) -> String {
        guard let copy = status.copy else { return "It was downloaded." }
        let version = campaign.inAppVersion > 1 && copy.downloadedAt != nil ? " in version \(copy.version)" : ""
        let owner = status.isFormerOnes ? " for the contact that the device had then" : ""
        let parts = copy.displays > 0 ? seen(copy, campaign) : unseen(copy, campaign, clock: clock)
        return "It was downloaded\(version)\(owner), \(parts)."
    }

    private static func seen(_ copy: InAppDeviceStateRow, _ campaign: Campaign) -> String {
        var text = "and was shown \(times(copy.displays))"
        if copy.clicks > 0 { text += ", clicked \(times(copy.clicks))" }
        if copy.dismissals > 0 { text += ", closed \(times(copy.dismissals))" }
        if copy.seconds > 0 { text += ", \(seconds(copy.seconds)) on screen in all" }
        if copy.recalledAt != nil { return text + "; the device was told to remove it" }
        if let limit = campaign.draft.inApp?.effectiveDisplayLimit,
            copy.shown(inEpoch: campaign.displayEpoch) >= limit
        {
            return text + "; it has reached its display limit"
        }
        return text
    }

    private static func unseen(
        _ copy: InAppDeviceStateRow, _ campaign: Campaign, clock: ExplanationClock
    ) -> String {
        if campaign.recalledAt != nil {
            return copy.recalledAt == nil
                ? "and has been recalled; the device removes it at its next sync"
                : "and was recalled before it was shown"
        }
        if copy.recalledAt != nil {
            return "and was withdrawn before it was shown, because it is no longer meant for the device"
        }
        if let at = copy.notShownAt, let why = copy.notShownSentence ?? copy.notShownReason {
            return "and was due at \(clock.text(at)), but was not shown: \(why)"
        }
        if campaign.draft.inApp?.hasEnded(by: clock.now) == true { return "and was not shown before it ended" }
        if let start = campaign.draft.inApp?.startsAt, start > clock.now {
            return "and may be shown from \(clock.text(start)) on"
        }
        return "and the device has not reported that it was shown"
    }

    private static func seconds(_ time: TimeInterval) -> String {
        "\(Int(time.rounded())) s"
    }
}
