import BelfryModel
import BelfryRules
import BelfryStore

/// The budget for finding out which triggers some events match (SEC-8). A marketer writes the triggers and devices send
/// the events, so nobody controls their product: for example 10,000 list entries for each of 1,000 events and a hundred
/// campaigns. Beyond the budget nothing is compared, and nothing triggers.
///
/// The unit is about one compared byte.
struct TriggerEffort: Sendable {
    /// The budget of one query, which takes some tenths of a second at most. Other reads wait meanwhile.
    static let ofOneLook = 48 << 20
    /// The budget of a page of a rehearsal, which has its own thread.
    static let ofRehearsedPage = 512 << 20
    /// The cost of a part of a trigger, or of a list entry, besides its bytes.
    fileprivate static let ofPart = 256

    private var left: Int

    init(_ maximum: Int = ofOneLook) {
        left = maximum
    }

    /// Whether some comparisons were skipped.
    private(set) var isSpent = false

    /// Whether an event matches a trigger. False when the budget is used up.
    mutating func isMet(_ trigger: WeighedTrigger, by event: WeighedEvent, on device: TriggerDevice) -> Bool {
        guard !isSpent else { return false }
        left -= trigger.cost(of: event)
        guard left >= 0 else {
            isSpent = true
            return false
        }
        return trigger.trigger.matches(event.event, on: device)
    }
}

/// A trigger, with the cost of comparing an event with it.
struct WeighedTrigger: Hashable, Sendable {
    let trigger: InAppTrigger
    /// The event name in the form that events have.
    let eventName: String
    /// The number of parts of its `where` that read the event's texts.
    private let parts: Int
    /// The cost that does not depend on the event.
    private let fixed: Int

    init(_ trigger: InAppTrigger) {
        self.trigger = trigger
        eventName = trigger.eventName
        let weight = trigger.filter.map { Self.weight(of: $0) }
        parts = weight?.parts ?? 0
        fixed = weight?.fixed ?? 0
    }

    fileprivate func cost(of event: WeighedEvent) -> Int { TriggerEffort.ofPart + fixed + parts * event.bytes }

    private static func weight(of condition: Condition) -> (parts: Int, fixed: Int) {
        switch condition {
        case .all(let conditions), .any(let conditions):
            var sum = (parts: 0, fixed: TriggerEffort.ofPart)
            for condition in conditions {
                let own = weight(of: condition)
                sum.parts += own.parts
                sum.fixed += own.fixed
            }
            return sum
        case .not(let condition): return weight(of: condition)
        case .attribute(let name, let comparison):
            return (parts: 1, fixed: fixedCost(of: comparison) + name.utf8.count)
        case .device(_, let comparison), .deviceFact(_, let comparison), .party(_, let comparison):
            return (parts: 1, fixed: fixedCost(of: comparison))
        case .everyone, .tag, .contactKeys, .deviceIDs, .known, .event:
            return (parts: 0, fixed: TriggerEffort.ofPart)
        }
    }

    private static func fixedCost(of comparison: Comparison) -> Int {
        switch comparison {
        case .equal(let value), .notEqual(let value), .less(let value), .lessOrEqual(let value), .greater(let value),
            .greaterOrEqual(let value):
            fixedCost(of: value)
        case .isIn(let values): values.reduce(TriggerEffort.ofPart) { $0 + fixedCost(of: $1) }
        case .contains(let text), .startsWith(let text): TriggerEffort.ofPart + text.utf8.count
        case .exists: TriggerEffort.ofPart
        }
    }

    private static func fixedCost(of value: AttributeValue) -> Int {
        if case .string(let text) = value { TriggerEffort.ofPart + text.utf8.count } else { TriggerEffort.ofPart }
    }
}

/// An event with its size.
struct WeighedEvent: Sendable {
    let event: TriggerEvent
    let bytes: Int

    init(_ event: TriggerEvent) {
        self.event = event
        bytes = event.attributes.bytes
    }
}
