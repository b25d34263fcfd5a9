import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// What a launch makes of a campaign's time (CAMP-5), and a resume of one that was paused before it: whoever does that is
/// told the same before.
package enum LaunchTime: Hashable, Sendable {
    /// There is none: it is sent as soon as it is launched.
    case atOnce
    /// It waits until then, when the first recipient may get it.
    case ahead(Date)
    /// The time of all is past: it is sent at once.
    case past(Date)
    /// In the first zones of the world the time is past: people there get it at once, everybody else when their own
    /// clock shows it.
    case begun(LocalDateTime)
    /// It cannot be launched, as this says. The draft's fields whose time has passed, the one that it names first.
    case refused(String, fields: [String])

    package init(_ schedule: CampaignSchedule?, now: Date) {
        let late = schedule?.lateness(now: now) ?? []
        if let first = late.first {
            self = .refused(first.error.message, fields: late.map(\.field))
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
    /// Whether it was paused before its time, so that it has never begun.
    package var isPausedBeforeLaunch: Bool { status == .paused && launchedAt == nil }

    /// What a launch makes of its time now, or a resume of one that was paused before it; nil for any other.
    package func launchTime(now: Date) -> LaunchTime? {
        guard status == .draft || isPausedBeforeLaunch else { return nil }
        let late = draft.allLateness(now: now)
        if let first = late.first { return .refused(first.error.message, fields: late.map(\.field)) }
        return LaunchTime(draft.schedule, now: now)
    }
}

extension CampaignDraft {
    /// Why it is too late to begin: by its schedule, or because what it has for people has ended. Nil while it is not.
    func lateness(now: Date) -> FieldError? { allLateness(now: now).first }

    /// All of ``lateness(now:)``: whoever mends the first alone would be refused for the next one.
    func allLateness(now: Date) -> [FieldError] {
        var late = schedule?.lateness(now: now) ?? []
        if let end = messageCenter?.expiresAt, end <= now {
            late.append(.passed("messageCenter.expiresAt", "The message's expiry has passed."))
        }
        if let end = inAppEnd(by: now) { late.append(end) }
        return late
    }

    /// Why an in-app message would show no more; nil while it does.
    func inAppEnd(by now: Date) -> FieldError? {
        guard let inApp, inApp.hasEnded(by: now) else { return nil }
        return .passed("inApp.endsAt", "The message's end has passed, so nobody would see it.")
    }
}

extension CampaignSchedule {
    /// What of it has passed, with the fields of a draft.
    fileprivate func lateness(now: Date) -> [FieldError] {
        launchErrors(now: now).map { FieldError(field: "schedule.\($0.field)", error: $0.error) }
    }
}

extension FieldError {
    fileprivate static func passed(_ field: String, _ message: String) -> FieldError {
        FieldError(field: field, error: ValueError(code: "passed", message: message))
    }
}
