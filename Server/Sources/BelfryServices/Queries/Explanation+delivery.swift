import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Explanations of campaigns that send: from the device's row in the ledger, or why it has none.
extension Explanation {
    /// The explanation for a campaign whose ledger was removed after the app's term (LED-3): whether it had the device
    /// is no longer known.
    ///
    /// - Parameters:
    ///   - center: the message in the message center, for a campaign that keeps one.
    ///   - steps: the history that is known without the ledger.
    init(ledgerRemovedAt date: Date, center: MessageCenterDeliveryStatus?, steps: [Step], clock: ExplanationClock) {
        self.init(
            state: Self.removed, reason: nil,
            sentence: "What became of the campaign on each device was removed at \(clock.text(date)), as the app's "
                + "deliveryRetentionDays says. Its sums stay." + Self.kept(center, now: clock.now),
            history: steps.sorted { $0.at < $1.at }
        )
    }

    /// - Parameters:
    ///   - delivery: nil if the campaign's ledger has no row for the device.
    ///   - center: the message in the message center, for a campaign that keeps one.
    ///   - clock: the current time; moments after it are described as still to come.
    init(
        row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?, center: MessageCenterDeliveryStatus? = nil,
        clock: ExplanationClock
    ) {
        let campaign = row.campaign
        guard let delivery else {
            self.init(
                state: "notInAudience", reason: nil,
                sentence: Self.absence(row, device: device, clock: clock) + Self.kept(center, now: clock.now),
                history: center?.steps.sorted { $0.at < $1.at } ?? []
            )
            // The planning has passed this device and created no row for it.
            isOutside = campaign.launchedAt != nil && device.id <= min(row.planEnd, row.plannedTo)
            return
        }
        self.init(
            state: delivery.state.rawValue,
            reason: delivery.reason?.rawValue ?? (delivery.state == .accepted ? nil : delivery.note),
            sentence: Self.sentence(delivery, center, campaign: campaign, clock: clock),
            history: Self.history(delivery, center, campaign: campaign)
        )
    }

    private static func absence(_ row: CampaignRow, device: DeviceRow, clock: ExplanationClock) -> String {
        guard row.campaign.launchedAt != nil else { return absenceBeforeLaunch(row, clock: clock) }
        if device.id > row.planEnd {
            return "The device was first seen after the campaign's launch, so it was not in the audience."
        }
        if !row.isPlanned, device.id > row.plannedTo {
            return "The campaign's audience is still being selected; whether the device is in it is not known yet."
        }
        if row.campaign.status == .cancelled, device.id > row.plannedTo { return neverSelected(row.campaign) }
        return "The device was not in the campaign's audience when it was planned."
    }

    static func absenceBeforeLaunch(_ row: CampaignRow, clock: ExplanationClock) -> String {
        switch (row.campaign.status, row.scheduledAt) {
        case (.scheduled, let date?):
            "The campaign starts at \(clock.text(date)). Its audience is selected then."
        case (.paused, _):
            "The campaign was paused before it started. \(row.campaign.statusReason ?? "")"
                .trimmingCharacters(in: .whitespaces)
        case (.cancelled, _): neverSelected(row.campaign)
        default: "The campaign has not been launched, so no device has received it."
        }
    }

    private static func neverSelected(_ campaign: Campaign) -> String {
        "The campaign's audience was never selected: \(campaign.statusReason ?? "no reason is recorded.")"
    }

    private static func sentence(
        _ delivery: DeliveryRow, _ center: MessageCenterDeliveryStatus?, campaign: Campaign, clock: ExplanationClock
    ) -> String {
        guard let center else { return sentence(delivery, campaign: campaign, clock: clock) }
        guard campaign.draft.kind != .messageCenter else {
            return placing(delivery, center, campaign: campaign, clock: clock)
        }
        return [sentence(delivery, campaign: campaign, clock: clock), sentence(center.clause(now: clock.now))]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func sentence(_ delivery: DeliveryRow, campaign: Campaign, clock: ExplanationClock) -> String {
        let report = report(of: delivery)
        let outcome =
            switch delivery.state {
            case .pending: pending(delivery, campaign: campaign, clock: clock)
            case .accepted where delivery.note.map(DeliveryNote.init(text:)) == .merged:
                "Another silent push has woken the device since it was due, so it was not sent by itself."
            case .accepted:
                "The push service accepted it\(report.map { ", and \($0)" } ?? "; the device has not reported it")."
            case .suppressed: "It was not sent: \(suppression(delivery, cap: campaign.draft.schedule?.frequencyCap))."
            case .rejected: rejection(delivery)
            case .cancelled: "The campaign was cancelled before it was sent to this device."
            }
        // A push whose response was lost may have arrived nevertheless.
        guard delivery.state != .accepted, let report else { return outcome }
        return "\(outcome) Yet \(report)."
    }

    /// The sentence for the result of a test message.
    static func testSentence(_ delivery: DeliveryRow) -> String {
        switch delivery.state {
        case .accepted: "The push service accepted it."
        case .suppressed: "It was not sent: \(suppression(delivery))."
        case .rejected where delivery.reason == .noAnswer || delivery.reason == .expired:
            "\(openEnd(delivery)); a test send is not retried."
        case .rejected, .pending, .cancelled: rejection(delivery)
        }
    }

    /// The sentence for a test message that a campaign would have retried.
    private static func openEnd(_ delivery: DeliveryRow) -> String {
        switch delivery.note.map(DeliveryNote.init(text:)) {
        case .notSent(let reason, _): "It could not be sent (\(reason))"
        case .unanswered(let reason, _): "It was sent, but the push service did not respond (\(reason))"
        case .answered(let word): "It was sent, and the push service responded '\(word)'"
        case .badge, .abandoned, .waitingForBudget, .merged, nil:
            "It was sent, but the push service did not respond"
        }
    }

    static func pending(_ delivery: DeliveryRow, campaign: Campaign, clock: ExplanationClock) -> String {
        // A cancelled campaign's pending rows are ended shortly after its status changes.
        if campaign.status == .cancelled { return "The campaign was cancelled; this message will not be sent." }
        if campaign.status == .paused {
            return "It is waiting because the campaign is paused. \(campaign.statusReason ?? "")"
                .trimmingCharacters(in: .whitespaces)
        }
        if let due = delivery.due, due.at == delivery.retryAt {
            guard due.at <= clock.now else { return "It is waiting until \(due.note)." }
            return "It was due at \(due.note) and is in the queue\(rate(of: campaign))."
        }
        let tries = delivery.attempts == 0 ? "It has not been sent yet" : "It was tried \(times(delivery.attempts))"
        return switch delivery.note.map(DeliveryNote.init(text:)) {
        case .waitingForBudget?:
            """
            It has not been sent yet: the device has had as many silent pushes as reach it in an hour, and the next may \
            leave \(delivery.retryAt.map { "at \(clock.text($0))" } ?? "soon").
            """
        case nil where delivery.attempts == 0: "It has not been sent yet."
        case .notSent(let reason, _): "\(tries) and will be retried; the last time it could not be sent (\(reason))."
        case .unanswered(let reason, _):
            "\(tries) and will be retried; the last time the push service did not respond (\(reason))."
        case .answered(let word): "\(tries) and will be retried; the last response was '\(word)'."
        case .badge, .abandoned, .merged, nil: "\(tries) and will be retried."
        }
    }

    /// The campaign's rate limit as a parenthesis, because it explains a long wait; empty without one.
    private static func rate(of campaign: Campaign) -> String {
        guard let rate = campaign.draft.schedule?.ratePerSecond else { return "" }
        return " (at most \(rate) message\(rate == 1 ? "" : "s") a second)"
    }

    /// The sentence for a send that ended as `noAnswer` or `expired`: its time was over, or it was not retried.
    private static func timedOut(_ delivery: DeliveryRow) -> String {
        let sent = "It was sent \(times(delivery.attempts))"
        return switch delivery.note.map(DeliveryNote.init(text:)) {
        case .notSent(let reason, _) where delivery.attempts == 0: "It could not be sent in time: \(reason)."
        case .notSent(let reason, nil): "\(sent) without success, and could not be sent again in time: \(reason)."
        case .notSent(let reason, let word?):
            "\(sent), the push service deferred it ('\(word)'), and it could not be sent again in time: \(reason)."
        case .answered(let word): "\(sent), and the push service deferred it ('\(word)') for too long."
        case .unanswered(_, let word?):
            "\(sent), the push service deferred it ('\(word)'), and then did not respond in time."
        case .abandoned(let reason) where delivery.attempts == 0:
            "It could not be sent and was not retried: \(suppression(reason, note: nil))."
        case .abandoned(let reason):
            "\(sent) without success and was not retried: \(suppression(reason, note: nil))."
        case .badge, .waitingForBudget, .merged, .unanswered(_, nil), nil:
            "It was sent, but the push service did not respond in time."
        }
    }

    static func times(_ count: Int) -> String {
        count == 1 ? "once" : "\(count) times"
    }

    /// The furthest engagement that the device reported; nil if it reported none.
    private static func report(of delivery: DeliveryRow) -> String? {
        func tells(_ engagement: Engagement) -> Bool { delivery.engagements[engagement] != nil }
        if tells(.opened) { return "it was opened" }
        if tells(.dismissed) { return "it was dismissed without being opened" }
        if tells(.displayed) { return "it was displayed but not opened" }
        return tells(.received) ? "the device received it" : nil
    }

    private static func suppression(_ delivery: DeliveryRow, cap: FrequencyCap? = nil) -> String {
        suppression(delivery.reason, note: delivery.note, cap: cap)
    }

    static func suppression(_ reason: DeliveryReason?, note: String?, cap: FrequencyCap? = nil) -> String {
        switch reason {
        case .noToken: "the device has no push token"
        case .noContact: "the device has no contact, and message center messages belong to a contact"
        case .noCredentials: "the app has no credentials for the device's push service"
        case .expired: "the message had expired before it could be sent"
        case .renderError: "its text cannot be rendered for this recipient (\(note ?? "no reason is recorded"))"
        case .quietHours: "it was due in the recipient's quiet hours"
        case .frequencyCap:
            "the device had reached the campaign's frequency cap" + (cap.map { " (\(words($0)))" } ?? "")
                + ", counting messages that were about to be sent"
        case .silentBudget:
            "the device had had as many silent pushes as reach it in an hour, until this one's time was over"
        case .browser: "it shows nothing, and browsers end subscriptions whose pushes show nothing"
        case .duplicateToken: "another device of the campaign has since registered the same push token"
        case .recalled: "the campaign's messages were recalled before this one was placed"
        case .erased: "the person was erased"
        case .optedOut(.user): "the user has switched push off in the app"
        case .optedOut(.osSetting): "the user has switched notifications off in the system's settings"
        case .optedOut(.tokenInvalid): "the push service reported that the device's token is no longer valid"
        case .optedOut(.tokenMalformed): "the push service reported that the device's token is malformed"
        case .optedOut(.providerAuthentication): "the push service had rejected the app's credentials"
        default: reason?.rawValue ?? "no reason is recorded"
        }
    }

    /// A frequency cap in words, such as `2 in 7 days`.
    private static func words(_ cap: FrequencyCap) -> String {
        let minutes = Int(cap.within.seconds) / 60
        let (number, unit) =
            if minutes.isMultiple(of: 1_440) {
                (minutes / 1_440, "day")
            } else if minutes.isMultiple(of: 60) {
                (minutes / 60, "hour")
            } else {
                (minutes, "minute")
            }
        return "\(cap.count) in \(number) \(unit)\(number == 1 ? "" : "s")"
    }

    /// The sentence for a rejected delivery. A message that no push service would accept was never sent; any other
    /// reason is the push service's own word.
    private static func rejection(_ delivery: DeliveryRow) -> String {
        switch delivery.reason {
        case .noAnswer, .expired: timedOut(delivery)
        case .payloadTooLarge: "It was not sent: the message is larger than the push service accepts."
        case .malformedToken: "It was not sent: the device's push token is not valid for its push service."
        case .contentNotEncodable: "It was not sent: its content cannot be rendered."
        case .quarantined: "It was not sent: its batch failed each time it was tried, and an operator dropped it."
        case let word?:
            ["It was sent, but the push service rejected it: '\(word.rawValue)'.", RejectedToken(word)?.sentence]
                .compactMap(\.self).joined(separator: " ")
        case nil: "It was sent, but the push service rejected it without a reason."
        }
    }

    static func history(_ delivery: DeliveryRow, _ center: MessageCenterDeliveryStatus?, campaign: Campaign) -> [Step] {
        var steps: [Step] = []
        if let launched = campaign.launchedAt { steps.append(Step(at: launched, what: "launched", detail: nil)) }
        if let due = delivery.due { steps.append(Step(at: due.at, what: "due", detail: due.note)) }
        let attempts = delivery.attempts > 0 ? "attempts: \(delivery.attempts)" : nil
        steps.append(
            Step(
                at: delivery.updatedAt, what: delivery.state.rawValue,
                detail: delivery.reason?.rawValue ?? delivery.note ?? attempts
            )
        )
        for engagement in Engagement.allCases {
            guard let at = delivery.engagements[engagement] else { continue }
            steps.append(Step(at: at, what: engagement.rawValue, detail: nil))
        }
        return (steps + (center?.steps ?? [])).sorted { $0.at < $1.at }
    }
}
