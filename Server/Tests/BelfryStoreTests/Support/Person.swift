import BelfryModel
import BelfryStore
import BelfryTestSupport
import Foundation

/// A person with one device, for audiences to choose from.
struct Person: Sendable {
    typealias Entry = RecordedEvents.Entry

    var name: String
    /// Nil: the device has no contact.
    var attributes: [String: AttributeValue]?
    var known = true
    var tags: [String] = []
    var party: PartyIdentifier?
    var system = SystemProperties()
    var isOptedIn = false
    var lastOpenedAt: Date?
    /// Events that the device sent under this contact, or without one.
    var events: [Entry] = []
    /// Events of a device that has left this contact since.
    var eventsOfFormerDevice: [Entry] = []
    /// Events of another device of the contact.
    var eventsOfOtherDevice: [Entry] = []
    /// Events that the device sent when it belonged to another contact.
    var eventsOfOthers: [Entry] = []

    /// The person as the evaluator in memory meets them.
    func subject(_ number: Int) throws -> ConditionSubject {
        ConditionSubject(
            device: try client(number),
            contact: attributes.map {
                .init(
                    key: name.precomposedStringWithCanonicalMapping, isKnown: known, attributes: $0, tags: Set(tags),
                    party: party
                )
            },
            properties: system, isOptedIn: isOptedIn, lastOpenedAt: lastOpenedAt,
            events: RecordedEvents(events + (attributes == nil ? [] : eventsOfFormerDevice + eventsOfOtherDevice))
        )
    }
}
