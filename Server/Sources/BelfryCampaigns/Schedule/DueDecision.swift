import BelfryModel
import BelfryServerModel
import Foundation

/// When the message to one recipient may be sent (CAMP-5).
package enum DueDecision: Hashable, Sendable {
    case now
    /// Not before this time. Then the decision is made again.
    case later(Date, DueReason)
    /// The message ends as suppressed.
    case never(DeliveryReason)
}

/// Why a message waits.
package enum DueReason: String, Hashable, Sendable, Codable {
    /// The scheduled time has not come.
    case scheduled
    /// It is within the recipient's quiet hours.
    case quietHours
}

extension CampaignSchedule {
    /// Decides for one recipient.
    ///
    /// A scheduled time in the past means now: a late launch, a pause or a rate limit may delay messages. Only
    /// `expiresAt` and quiet hours end them here. The message's own lifetime (`ttlSeconds`) is checked separately.
    ///
    /// - Parameter launchedAt: nothing is sent before it.
    package func due(at now: Date, launchedAt: Date, zone: RecipientZone) -> DueDecision {
        let moment = max(start(launchedAt: launchedAt, zone: zone), now)
        if let expiresAt, moment >= expiresAt { return .never(.expired) }
        guard let quietHours, quietHours.contains(LocalDateTime(moment, in: zone.timeZone)) else {
            return moment > now ? .later(moment, .scheduled) : .now
        }
        switch quietHours.then {
        case .suppress:
            return .never(.quietHours)
        case .delay:
            let end = quietHours.end(after: moment, in: zone.timeZone)
            if let expiresAt, end >= expiresAt { return .never(.quietHours) }
            return .later(end, .quietHours)
        }
    }

    /// The time from which the schedule allows one recipient's message, without regard to quiet hours.
    package func start(launchedAt: Date, zone: RecipientZone) -> Date {
        max(localAt?.date(in: zone.timeZone) ?? at ?? launchedAt, launchedAt)
    }
}

extension QuietHours {
    /// The end of the quiet hours that contain `date`: the next time at which the local clock shows their end. If the
    /// clock skips that time, the moment of the skip.
    func end(after date: Date, in zone: TimeZone) -> Date {
        var date = date
        // If the clock skips the end and lands within the quiet hours again, the next day's end counts.
        for _ in 0..<3 {
            date = nextEnd(after: date, in: zone)
            if !contains(LocalDateTime(date, in: zone)) { break }
        }
        return date
    }

    private func nextEnd(after date: Date, in zone: TimeZone) -> Date {
        let midnight = LocalDateTime(date, in: zone).secondsInUTC - Int64(LocalDateTime(date, in: zone).secondOfDay)
        // It starts a day earlier, because the end may be shown a second time where the clock goes back over midnight.
        for day in -1...2 {
            let end = LocalDateTime(secondsInUTC: midnight + Int64(day) * 86_400 + Int64(to.minute) * 60)
            if let moment = end.date(in: zone, after: date) { return moment }
        }
        return date.addingTimeInterval(86_400)
    }
}

extension LocalDateTime {
    fileprivate var secondOfDay: Int {
        let second = secondsInUTC % 86_400
        return Int(second < 0 ? second + 86_400 : second)
    }
}
