import ArgumentParser
import BelfryModel
import BelfryWire

/// When a campaign is sent and how fast, on the command line (CAMP-5).
struct ScheduleOptions: ParsableArguments {
    @Option(help: "Send it to all at this moment: 2026-12-01T09:00:00Z, or without an offset in the app's time zone.")
    var at: String?

    @Option(
        help: "Send it to each recipient when their own clock shows this: 2026-12-01T09:00.",
        transform: { try LocalDateTime(argument: $0) }
    )
    var localAt: LocalDateTime?

    @Option(
        help: ArgumentHelp(
            "When recipients are left alone, by their clocks; what falls into it comes at its end, or not at all.",
            valueName: "from-to[,suppress]"
        ),
        transform: { try QuietHours(argument: $0) }
    )
    var quietHours: QuietHours?

    @Option(
        help: ArgumentHelp(
            "At most so many notifications to one device within a period that ends now: 2/P7D.",
            valueName: "count/period"
        ),
        transform: { try FrequencyCap(argument: $0) }
    )
    var cap: FrequencyCap?

    @Option(help: "Send nothing from this moment on; written as for --at.")
    var expiresAt: String?

    @Option(help: "Send at most so many in a second.")
    var rate: Int?

    func validate() throws {
        guard at == nil || localAt == nil else { throw ValidationError("Give --at or --local-at, not both.") }
    }

    /// Nil: at once, to all. Which zone a date without an offset is in, the server knows.
    var request: CampaignScheduleRequest? {
        let request = CampaignScheduleRequest(
            at: at, localAt: localAt, quietHours: quietHours, frequencyCap: cap, expiresAt: expiresAt,
            ratePerSecond: rate
        )
        return request == CampaignScheduleRequest() ? nil : request
    }
}

extension LocalDateTime {
    fileprivate init(argument: String) throws {
        guard let time = LocalDateTime(argument) else {
            throw ValidationError("write a day and a time without an offset, as 2026-12-01T09:00.")
        }
        self = time
    }
}

extension QuietHours {
    /// Reads `22:00-08:00` and `22:00-08:00,suppress`.
    fileprivate init(argument: String) throws {
        let parts = argument.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let times = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
            .map { TimeOfDay(String($0)) }
        let then = parts.count == 2 ? Consequence(rawValue: String(parts[1])) : .delay
        guard times.count == 2, let from = times[0], let to = times[1], let then else {
            throw ValidationError("write two times of the day, as 22:00-08:00 or 22:00-08:00,suppress.")
        }
        self.init(from: from, to: to, then: then)
    }
}

extension FrequencyCap {
    /// Reads `2/P7D`.
    fileprivate init(argument: String) throws {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let count: Int = WholeNumber.read(parts[0]) else {
            throw ValidationError("write a number and a period, as 2/P7D.")
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
