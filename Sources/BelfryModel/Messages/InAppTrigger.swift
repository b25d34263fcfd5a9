/// The trigger of an in-app message (IAM-5). The device evaluates it without a network.
public struct InAppTrigger: Hashable, Sendable {
    /// The name of a custom or internal event: `session:start`, `screen`, `purchase`.
    public var event: String
    /// A condition on the attributes of the counted events and on the device's properties.
    public var filter: Condition?
    /// Which of the counted events triggers the message: the n-th since the message came to the device or was last
    /// shown, and each later one until it is shown. Absent: the first.
    public var occurrence: Int?

    public init(event: String, filter: Condition? = nil, occurrence: Int? = nil) {
        self.event = event
        self.filter = filter
        self.occurrence = occurrence
    }

    /// The name in the form of an event's name: trimmed.
    public var eventName: String { (try? EventName(event))?.rawValue ?? event }
    /// The number of events that the trigger waits for.
    public var neededOccurrence: Int { max(occurrence ?? 1, 1) }
}

extension InAppTrigger: Codable {
    private enum CodingKeys: String, CodingKey {
        case event, occurrence
        case filter = "where"
    }
}
