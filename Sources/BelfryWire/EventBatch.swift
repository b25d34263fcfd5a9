import BelfryModel

/// One event in a request (WIRE-6). Everything is optional while decoding, so that one bad event is reported alone and
/// the others are stored.
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

/// The response to a batch if it has content; otherwise 204 (WIRE-6).
public struct EventBatchResponse: Hashable, Sendable, Codable {
    public var rejected: [RejectedEvent]?
    /// Campaigns whose displays and clicks a v3 client may forget.
    public var oldCampaigns: [String]?
    /// A message that a v3 client shows at once (IAM-13).
    public var message: V3InAppMessage?
    /// Actions that a v3 client carries out at once (IAM-13).
    public var onEventAction: OnEventAction?

    public init(
        rejected: [RejectedEvent]? = nil, oldCampaigns: [String]? = nil, message: V3InAppMessage? = nil,
        onEventAction: OnEventAction? = nil
    ) {
        self.rejected = rejected
        self.oldCampaigns = oldCampaigns
        self.message = message
        self.onEventAction = onEventAction
    }
}
