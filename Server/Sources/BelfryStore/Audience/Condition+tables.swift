import BelfryModel

/// Which tables a condition needs besides the audience table.
extension Condition {
    /// Whether it uses the last opening of the app.
    var asksForOpenings: Bool {
        switch self {
        case .deviceFact(.lastOpenedAt, _): true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForOpenings }
        case .not(let part): part.asksForOpenings
        case .everyone, .attribute, .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .party, .event: false
        }
    }

    /// Whether it uses what is in rows of contacts, and not in the audience table.
    var asksForContacts: Bool {
        switch self {
        case .tag, .party: true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForContacts }
        case .not(let part): part.asksForContacts
        case .everyone, .attribute, .device, .deviceFact, .contactKeys, .deviceIDs, .known, .event: false
        }
    }

    /// Whether it uses what people did.
    var asksForEvents: Bool {
        switch self {
        case .event: true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForEvents }
        case .not(let part): part.asksForEvents
        case .everyone, .attribute, .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .party: false
        }
    }
}
