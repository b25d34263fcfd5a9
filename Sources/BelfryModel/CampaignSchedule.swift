import Foundation

/// When a campaign is sent, and how fast (CAMP-5). Everything absent: at once, to all.
public struct CampaignSchedule: Hashable, Sendable {
    /// To all at this moment.
    public var at: Date?
    /// To each recipient when their own clock shows this time.
    public var localAt: LocalDateTime?
    public var quietHours: QuietHours?
    public var frequencyCap: FrequencyCap?
    /// Nothing is sent from then on.
    public var expiresAt: Date?
    /// Messages that leave in one second at most.
    public var ratePerSecond: Int?

    public init(
        at: Date? = nil,
        localAt: LocalDateTime? = nil,
        quietHours: QuietHours? = nil,
        frequencyCap: FrequencyCap? = nil,
        expiresAt: Date? = nil,
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

/// Dates are written as ``Timestamp`` has them, and read with their offset.
extension CampaignSchedule: Codable {
    private enum Key: String, CodingKey {
        case at, localAt, quietHours, frequencyCap, expiresAt, ratePerSecond
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func date(_ key: Key) throws -> Date? {
            guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
            guard let date = Timestamp.date(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "expected a date such as 2026-12-01T09:00:00Z"
                )
            }
            return date
        }
        self.init(
            at: try date(.at),
            localAt: try container.decodeIfPresent(LocalDateTime.self, forKey: .localAt),
            quietHours: try container.decodeIfPresent(QuietHours.self, forKey: .quietHours),
            frequencyCap: try container.decodeIfPresent(FrequencyCap.self, forKey: .frequencyCap),
            expiresAt: try date(.expiresAt),
            ratePerSecond: try container.decodeIfPresent(Int.self, forKey: .ratePerSecond)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(at.map(Timestamp.text), forKey: .at)
        try container.encodeIfPresent(localAt, forKey: .localAt)
        try container.encodeIfPresent(quietHours, forKey: .quietHours)
        try container.encodeIfPresent(frequencyCap, forKey: .frequencyCap)
        try container.encodeIfPresent(expiresAt.map(Timestamp.text), forKey: .expiresAt)
        try container.encodeIfPresent(ratePerSecond, forKey: .ratePerSecond)
    }
}
