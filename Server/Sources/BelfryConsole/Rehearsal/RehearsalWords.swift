import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// Sentences on the results of a rehearsal.
enum RehearsalWords {
    static func empty(isBefore: Bool, mayStart: Bool) -> String {
        guard isBefore else { return "This campaign was launched without a rehearsal." }
        let what =
            "A rehearsal runs the campaign over its whole audience without sending anything: it shows who would get it, "
            + "when, and why others would not."
        return mayStart ? what : "\(what) A marketer or an admin of this app starts it."
    }

    static func state(_ rehearsal: Rehearsal, zone: AppZone) -> String {
        switch rehearsal.status {
        case .waiting: "It waits for its turn. You can leave this page."
        case .running:
            "\(Figures.count(rehearsal.audience, "device", "devices")) of the audience so far. You can leave this page."
        case .done: "Rehearsed \(zone.text(rehearsal.startedAt ?? rehearsal.requestedAt))."
        case .cancelled: "It was cancelled, and its results were removed."
        case .failed: rehearsal.problem ?? "It could not be rehearsed."
        }
    }

    /// - Parameter launch: the rehearsed time of the launch; nil for a campaign by each person's own clock, for which
    ///   one time says nothing.
    static func sentence(
        _ figures: RehearsalFigures, _ kind: CampaignKind, launch: Date?, zone: AppZone
    ) -> String {
        guard figures.audience > 0 else {
            return "Nobody would be in the audience. Widen it, or wait until people have opened the app."
        }
        let start = launch.map { "Launched \(zone.text($0)), it" } ?? "It"
        let reach =
            "\(Figures.count(figures.reached)) of \(Figures.count(figures.audience, "device", "devices"))"
        if kind.isInApp {
            return "\(start) would be shown on \(reach), if the last \(recordedDays) days were repeated."
        }
        guard let first = figures.firstAt, let last = figures.lastAt else {
            return "\(start) would reach none of \(Figures.count(figures.audience, "device", "devices"))."
        }
        return "\(start) would reach \(reach), \(times(from: first, to: last, launch: launch, zone: zone))."
    }

    private static func times(from first: Date, to last: Date, launch: Date?, zone: AppZone) -> String {
        guard last.timeIntervalSince(first) < 60 else { return "from \(zone.text(first)) to \(zone.text(last))" }
        // All messages leave at one time. That need not be the launch: they may wait for quiet hours, a budget or a
        // local time.
        let isAtLaunch = launch.map { last.timeIntervalSince($0) < 60 } ?? false
        return isAtLaunch ? "at once" : "at \(zone.text(first))"
    }

    private static var recordedDays: Int { RehearsalService.recordedDays }

    static func chip(_ outcome: RehearsedOutcome) -> StatusChip {
        switch outcome.state {
        case .accepted where outcome.reason == .notTriggered: StatusChip(word: "Not shown", tone: "quiet")
        case .accepted: StatusChip(word: "Gets it", tone: "good")
        case .pending: StatusChip(word: "Waits", tone: "busy")
        case .suppressed: StatusChip(word: "Not sent", tone: "warning")
        case .rejected: StatusChip(word: "Rejected", tone: "bad")
        case .cancelled: StatusChip(word: "Cancelled", tone: "quiet")
        }
    }

    static func sentence(_ outcome: RehearsedOutcome, _ kind: CampaignKind) -> String {
        switch (outcome.state, outcome.reason) {
        case (.accepted, DeliveryReason.notTriggered?):
            "They would have it, and nothing that triggers it happened on them in the last \(recordedDays) days."
        case (.accepted, _):
            switch kind {
            case .push, .silent: "It would be sent to them."
            case .pushAndMessageCenter: "It would be sent to them, and kept in the message center."
            case .messageCenter: "It would be placed in the message center."
            case .inApp: "It would be shown on them."
            }
        case (.pending, DeliveryReason.noContact?): "They get it once they have a contact."
        case (.pending, _): "They would still be waiting: the rate and the quiet hours leave them no moment."
        default: LossWords.sentence(DeliveryOutcome(state: outcome.state, reason: outcome.reason, count: 1))
        }
    }

    static func sentence(_ difference: RehearsalComparison.Difference) -> String {
        switch difference.cause {
        case .notYet: "The campaign is still under way for them."
        case .leftAudience: "They left the audience before the launch, or are gone."
        case .joinedAudience: "They joined the audience after the rehearsal."
        case .pushService: pushService(difference.came?.reason)
        case .optedOut: "They opted out after the rehearsal."
        case .optedIn: "They opted in after the rehearsal."
        case .token: "Their push token was added, changed or removed after the rehearsal."
        case .otherTime: "The campaign went out at another time than was rehearsed."
        case .otherMessages: "They got other messages, or fewer, than expected."
        case .otherValues: "Their attributes, or who they are, changed after the rehearsal."
        case .credentials: "The app's credentials were set or removed after the rehearsal."
        case .otherDraft: "The draft was changed after the rehearsal."
        case .cancelled: "The campaign was cancelled before it was their turn."
        case .recalled: "The messages were recalled, or the people erased."
        case .unexplained: "No reason is known."
        }
    }

    private static func pushService(_ reason: DeliveryReason?) -> String {
        switch reason {
        case .noAnswer: "The push service did not respond in time."
        case .expired: "The push service asked to wait until the message had expired."
        case let word?: "The push service rejected it: '\(word.rawValue.isolated)'. A rehearsal asks no push service."
        case nil: "The push service rejected it. A rehearsal asks no push service."
        }
    }
}
