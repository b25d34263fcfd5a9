import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// When a campaign would start if it were launched now, or resumed after a pause before its start (CAMP-5). It is shown
/// before the launch.
package enum LaunchTime: Hashable, Sendable {
    /// The campaign has no time: it is sent when it is launched.
    case atOnce
    /// The campaign waits until this time, when the first recipient may get it.
    case ahead(Date)
    /// The time has passed for everybody: it is sent when it is launched.
    case past(Date)
    /// The local time has passed in the earliest time zones: people there get it when it is launched, all others when
    /// their own clock shows the time.
    case begun(LocalDateTime)
    /// The campaign cannot be launched, for the reason in the sentence. The fields are those whose time has passed; the
    /// sentence is about the first.
    case rejected(String, fields: [String])

    package init(_ schedule: CampaignSchedule?, now: Date) {
        let late = schedule?.lateness(now: now) ?? []
        if let first = late.first {
            self = .rejected(first.error.message, fields: late.map(\.field))
        } else if let first = schedule?.firstSend {
            if first > now {
                self = .ahead(first)
            } else if let local = schedule?.localAt {
                self = .begun(local)
            } else {
                self = .past(first)
            }
        } else {
            self = .atOnce
        }
    }
}

extension Campaign {
    /// Whether the campaign was paused before its scheduled start, so that it has never started.
    package var isPausedBeforeLaunch: Bool { status == .paused && launchedAt == nil }

    /// When the campaign would start if it were launched or resumed now; nil if it is neither a draft nor paused before
    /// its start.
    package func launchTime(now: Date) -> LaunchTime? {
        guard status == .draft || isPausedBeforeLaunch else { return nil }
        let late = draft.allLateness(now: now)
        if let first = late.first { return .rejected(first.error.message, fields: late.map(\.field)) }
        return LaunchTime(draft.schedule, now: now)
    }
}

extension CampaignDraft {
    /// The first error because of which it is too late to start: a time of the schedule, or the end of the content, has
    /// passed. Nil if there is none.
    func lateness(now: Date) -> FieldError? { allLateness(now: now).first }

    /// All errors that ``lateness(now:)`` returns one of, so that they can be corrected together.
    func allLateness(now: Date) -> [FieldError] {
        var late = schedule?.lateness(now: now) ?? []
        if let end = messageCenter?.expiresAt, end <= now {
            late.append(.passed("messageCenter.expiresAt", "The message's expiry has passed."))
        }
        if let end = inAppEnd(by: now) { late.append(end) }
        return late
    }

    /// The error for an in-app message whose end has passed; nil while it has not.
    func inAppEnd(by now: Date) -> FieldError? {
        guard let inApp, inApp.hasEnded(by: now) else { return nil }
        return .passed("inApp.endsAt", "The message's end has passed, so nobody would see it.")
    }
}

extension CampaignSchedule {
    /// The errors for the schedule's times that have passed, with the fields of a draft.
    fileprivate func lateness(now: Date) -> [FieldError] {
        launchErrors(now: now).map { FieldError(field: "schedule.\($0.field)", error: $0.error) }
    }
}

extension FieldError {
    fileprivate static func passed(_ field: String, _ message: String) -> FieldError {
        FieldError(field: field, error: ValueError(code: "passed", message: message))
    }
}
