import BelfryModel

/// When a campaign is to be sent (CAMP-5), as it is written: a date without an offset is in the app's time zone
/// (ADM-2), which only the server knows.
public struct CampaignScheduleRequest: Hashable, Sendable, Codable {
    public var at: String?
    public var localAt: LocalDateTime?
    public var quietHours: QuietHours?
    public var frequencyCap: FrequencyCap?
    public var expiresAt: String?
    public var ratePerSecond: Int?

    public init(
        at: String? = nil,
        localAt: LocalDateTime? = nil,
        quietHours: QuietHours? = nil,
        frequencyCap: FrequencyCap? = nil,
        expiresAt: String? = nil,
        ratePerSecond: Int? = nil
    ) {
        self.at = at
        self.localAt = localAt
        self.quietHours = quietHours
        self.frequencyCap = frequencyCap
        self.expiresAt = expiresAt
        self.ratePerSecond = ratePerSecond
    }
}
