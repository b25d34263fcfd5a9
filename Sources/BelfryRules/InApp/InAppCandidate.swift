import BelfryModel
import Foundation

/// A message on the device without its content: the values that decide whether it may be shown.
public struct InAppCandidate: Hashable, Sendable, Codable {
    public var id: String
    public var campaignID: String
    /// The version, which grows with each edit.
    public var version: Int
    public var type: InAppType
    /// The priority; the message with the lowest number is shown first.
    public var priority: Int
    /// Nil for an inline message.
    public var trigger: InAppTrigger?
    /// The view of an inline message; compared case-insensitively.
    public var viewID: String?
    public var startsAt: Date?
    public var endsAt: Date?
    public var displayLimit: Int
    /// The number of displays in this epoch that the server knows of.
    public var displayCount: Int
    /// The epoch of the display count: displays of an earlier epoch do not count.
    public var displayEpoch: Int
    /// The delay in seconds from the trigger to the display.
    public var delay: TimeInterval

    public init(
        id: String,
        campaignID: String,
        version: Int = 1,
        type: InAppType,
        priority: Int = InAppLimits.standardPriority,
        trigger: InAppTrigger? = nil,
        viewID: String? = nil,
        startsAt: Date? = nil,
        endsAt: Date? = nil,
        displayLimit: Int = InAppLimits.standardDisplayLimit,
        displayCount: Int = 0,
        displayEpoch: Int = 0,
        delay: TimeInterval = 0
    ) {
        self.id = id
        self.campaignID = campaignID
        self.version = version
        self.type = type
        self.priority = priority
        self.trigger = trigger
        self.viewID = viewID
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.displayLimit = displayLimit
        self.displayCount = displayCount
        self.displayEpoch = displayEpoch
        self.delay = delay
    }
}

extension InAppCandidate {
    /// The order in which messages come (IAM-6): the lowest priority number, then the newest campaign.
    public static func comesFirst(_ one: InAppCandidate, _ other: InAppCandidate) -> Bool {
        if one.priority != other.priority { return one.priority < other.priority }
        let age: Int64 = WholeNumber.read(one.campaignID) ?? 0
        let otherAge: Int64 = WholeNumber.read(other.campaignID) ?? 0
        return age != otherAge ? age > otherAge : one.id < other.id
    }

    /// Which of the message's own terms (start, end, display limit) prevents its display; nil if none does.
    ///
    /// - Parameters:
    ///   - displays: how often the person has seen it in its epoch.
    ///   - serverTime: the present time by the server's clock.
    public func violatedTerm(displays: Int, at serverTime: Date) -> InAppReason? {
        if let endsAt, endsAt <= serverTime { return .expired }
        if let startsAt, startsAt > serverTime { return .notStarted(until: startsAt) }
        return displays >= displayLimit ? .exhausted(displays: displays, limit: displayLimit) : nil
    }

    /// How many of the events count for the message's trigger; none for an inline message.
    public func occurrences(in events: [TriggerEvent], on device: TriggerDevice) -> Int {
        guard type != .inline, let trigger else { return 0 }
        return events.count { trigger.matches($0, on: device) }
    }

    /// Whether it is an inline message for this view.
    public func isFor(viewID: String) -> Bool {
        type == .inline && self.viewID?.lowercased() == viewID.lowercased()
    }
}

extension Sequence<InAppCandidate> {
    /// The names of the events that can trigger any of the messages; no other event has to be checked.
    public var triggerNames: Set<String> {
        Set(compactMap { $0.trigger?.eventName })
    }
}
