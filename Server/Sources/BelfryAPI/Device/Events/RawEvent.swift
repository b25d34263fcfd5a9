import BelfryModel

/// One event as a body has it, before it is checked. Everything is optional, so that one bad event is reported alone.
struct RawEvent: Hashable, Sendable {
    /// The attributes of an event.
    enum Attributes: Hashable, Sendable {
        /// An object as JSON text that can be stored as it stands.
        case text(String)
        case values([String: AttributeValue])
    }

    var id: String?
    var type: String?
    var name: String?
    var timestamp: String?
    var attributes: Attributes?
    var sessionId: String?
    var contact: String?
}
