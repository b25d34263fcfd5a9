import ArgumentParser
import BelfryModel
import BelfryServerModel
import BelfryWire

/// The command-line options for when a campaign is sent and how fast (CAMP-5).
struct ScheduleOptions: ParsableArguments {
    @Option(help: "Send to everybody at this time: 2026-12-01T09:00:00Z, or without an offset in the app's time zone.")
    var at: String?

    @Option(
        help: "Send to each recipient at this local time: 2026-12-01T09:00.",
        transform: { try LocalDateTime(argument: $0) }
    )
    var localAt: LocalDateTime?

    @Option(
        help: ArgumentHelp(
            "Quiet hours by the recipient's clock. Messages wait until the end; with ',suppress' they are not sent.",
            valueName: "from-to[,suppress]"
        ),
        transform: { try QuietHours(argument: $0) }
    )
    var quietHours: QuietHours?

    @Option(
        help: ArgumentHelp(
            "At most this many notifications to one device within a period, such as 2/P7D.",
            valueName: "count/period"
        ),
        transform: { try FrequencyCap(argument: $0) }
    )
    var cap: FrequencyCap?

    @Option(help: "Send nothing from this time on. Same format as --at.")
    var expiresAt: String?

    @Option(help: "The maximum number of messages per second.")
    var rate: Int?

    func validate() throws {
        guard at == nil || localAt == nil else { throw ValidationError("Use --at or --local-at, not both.") }
    }

    /// The schedule; nil: the campaign is sent immediately, to all. A date without an offset stays as it is, because
    /// the server knows its time zone.
    var schedule: CampaignSchedule? {
        var schedule = CampaignSchedule(
            localAt: localAt, quietHours: quietHours, frequencyCap: cap, ratePerSecond: rate
        )
        schedule.$at = ZonedDate(asWritten: at)
        schedule.$expiresAt = ZonedDate(asWritten: expiresAt)
        return schedule == CampaignSchedule() ? nil : schedule
    }
}

extension LocalDateTime {
    fileprivate init(argument: String) throws {
        guard let time = LocalDateTime(argument) else {
            throw ValidationError("use a date and time without an offset, such as 2026-12-01T09:00.")
        }
        self = time
    }
}

extension QuietHours {
    /// Reads `22:00-08:00` and `22:00-08:00,suppress`.
    fileprivate init(argument: String) throws {
        let parts = argument.utf8.split(separator: UInt8(ascii: ","), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let times = (parts.first ?? "").utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        .map { TimeOfDay(String($0)) }
        let then = parts.count == 2 ? Consequence(rawValue: String(parts[1])) : .delay
        guard times.count == 2, let from = times[0], let to = times[1], let then else {
            throw ValidationError("use two times of day, such as 22:00-08:00 or 22:00-08:00,suppress.")
        }
        self.init(from: from, to: to, then: then)
    }
}

extension FrequencyCap {
    /// Reads `2/P7D`.
    fileprivate init(argument: String) throws {
        let parts = argument.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 2, let count: Int = WholeNumber.read(parts[0]) else {
            throw ValidationError("use a number and a period, such as 2/P7D.")
        }
        let period: ISODuration
        do {
            period = try ISODuration(String(parts[1]))
        } catch {
            throw ValidationError(error.message)
        }
        self.init(count: count, within: period)
    }
}
