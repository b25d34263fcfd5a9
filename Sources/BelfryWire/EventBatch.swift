import BelfryModel

/// One event as the wire carries it (WIRE-6). Everything is optional while decoding, so that one bad event is
/// reported alone and the others are stored.
public struct WireEvent: Hashable, Sendable, Codable {
    public var id: String?
    public var type: String?
    public var name: String?
    public var timestamp: String?
    public var attributes: [String: AttributeValue]?
    public var sessionId: String?
    public var contact: String?

    public init(
        id: String? = nil,
        type: String? = nil,
        name: String? = nil,
        timestamp: String? = nil,
        attributes: [String: AttributeValue]? = nil,
        sessionId: String? = nil,
        contact: String? = nil
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.timestamp = timestamp
        self.attributes = attributes
        self.sessionId = sessionId
        self.contact = contact
    }

    public init(_ event: Event) {
        self.init(
            id: event.id.rawValue,
            type: event.kind.rawValue,
            name: event.name.rawValue,
            timestamp: Timestamp.text(event.timestamp),
            attributes: event.attributes.isEmpty ? nil : event.attributes,
            sessionId: event.sessionID,
            contact: event.contactReference
        )
    }
}

/// An event that the server did not store, and why.
public struct RejectedEvent: Hashable, Sendable, Codable {
    public var index: Int
    public var id: String?
    public var reason: String

    public init(index: Int, id: String? = nil, reason: String) {
        self.index = index
        self.id = id
        self.reason = reason
    }
}

/// The answer to a batch when there is something to say; otherwise 204 (WIRE-6).
public struct EventBatchAnswer: Hashable, Sendable, Codable {
    public var rejected: [RejectedEvent]?
    /// Campaigns of which a client of version 3 may forget what was seen and pressed.
    public var oldCampaigns: [String]?
    /// What a client of version 3 shows at once (IAM-13).
    public var message: OverlayMessage?
    /// What a client of version 3 does at once (IAM-13).
    public var onEventAction: OnEventAction?

    public init(
        rejected: [RejectedEvent]? = nil, oldCampaigns: [String]? = nil, message: OverlayMessage? = nil,
        onEventAction: OnEventAction? = nil
    ) {
        self.rejected = rejected
        self.oldCampaigns = oldCampaigns
        self.message = message
        self.onEventAction = onEventAction
    }
}
