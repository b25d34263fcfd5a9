/// What lets an in-app message show (IAM-5): the device evaluates it, without network.
public struct InAppTrigger: Hashable, Sendable {
    /// The name of a custom or internal event: `session:start`, `screen`, `purchase`.
    public var event: String
    /// Which of the events count, by their attributes and by the device's properties.
    public var filter: Condition?
    /// Which of the events that count it is: the n-th since the message came to the device or was last shown, and each
    /// later one until it is shown. Absent: the first.
    public var occurrence: Int?

    public init(event: String, filter: Condition? = nil, occurrence: Int? = nil) {
        self.event = event
        self.filter = filter
        self.occurrence = occurrence
    }

    /// The name as events have it: trimmed.
    public var eventName: String { (try? EventName(event))?.rawValue ?? event }
    /// How many events it waits for.
    public var neededOccurrence: Int { max(occurrence ?? 1, 1) }
}

extension InAppTrigger: Codable {
    private enum CodingKeys: String, CodingKey {
        case event, occurrence
        case filter = "where"
    }
}
