import BelfryModel

/// One event of an upload as a general JSON coder sees it (WIRE-6): what the SDK writes and the server reads without one.
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
}
