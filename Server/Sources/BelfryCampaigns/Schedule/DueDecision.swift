import BelfryModel
import BelfryServerModel
import Foundation

/// When one recipient's message may leave (CAMP-5).
package enum DueDecision: Hashable, Sendable {
    case now
    /// Not before that moment; then it is asked again.
    case later(Date, DueReason)
    /// It ends as suppressed.
    case never(DeliveryReason)
}

/// Why a message waits.
package enum DueReason: String, Hashable, Sendable, Codable {
    /// Its time has not come.
    case scheduled
    /// The recipient's quiet hours last.
    case quietHours
}

extension CampaignSchedule {
    /// Decides for one recipient.
    ///
    /// A time that has passed is now: a launch that comes late, a pause or a rate limit makes messages late. This
    /// decision ends them at `expiresAt` and in quiet hours alone; the message's own life (`ttlSeconds`) is judged apart.
    ///
    /// - Parameter launchedAt: nothing leaves before it.
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

    /// The moment at which the schedule lets one recipient's message leave, quiet hours aside.
    package func start(launchedAt: Date, zone: RecipientZone) -> Date {
        max(localAt?.date(in: zone.timeZone) ?? at ?? launchedAt, launchedAt)
    }
}

extension QuietHours {
    /// The next moment after `date`, which is within them, at which the clock shows their end; where the clocks skip
    /// it, the moment at which they do.
    func end(after date: Date, in zone: TimeZone) -> Date {
        var date = date
        // Where the clocks skip the end and stand within the hours again, the next day's end counts.
        for _ in 0..<3 {
            date = nextEnd(after: date, in: zone)
            if !contains(LocalDateTime(date, in: zone)) { break }
        }
        return date
    }

    private func nextEnd(after date: Date, in zone: TimeZone) -> Date {
        let midnight = LocalDateTime(date, in: zone).secondsInUTC - Int64(LocalDateTime(date, in: zone).secondOfDay)
        // From the day before, whose end may be shown again where the clocks went back over midnight.
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
