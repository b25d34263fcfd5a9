import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An event that was read and checked, ready to be stored.
package struct IncomingEvent: Hashable, Sendable {
    package let id: EventID
    package let kind: Event.Kind
    package let name: EventName
    /// By the device's clock.
    package let timestamp: Date
    package let sessionID: String?
    /// The opaque reference of the contact under which it was tracked (ID-7).
    package let contactReference: String?
    /// As JSON text: one object with scalar values.
    package let attributes: String
    /// The attribute `sid` of what the SDK says about a push: which one.
    package let sid: String?
    /// The attribute `messageId` of what the SDK says about a message of a center: which one.
    package let messageID: String?

    package init(
        id: EventID, kind: Event.Kind, name: EventName, timestamp: Date, sessionID: String? = nil,
        contactReference: String? = nil, attributes: String, sid: String? = nil, messageID: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.timestamp = timestamp
        self.sessionID = sessionID
        self.contactReference = contactReference
        self.attributes = attributes
        self.sid = sid
        self.messageID = messageID
    }
}

extension Engagement {
    /// What an event of the SDK says about a push.
    init?(_ event: IncomingEvent) {
        guard event.kind == .internal else { return nil }
        switch event.name {
        case .pushReceived: self = .received
        case .pushDisplayed: self = .displayed
        case .pushClick: self = .opened
        case .pushDismiss: self = .dismissed
        default: return nil
        }
    }
}
