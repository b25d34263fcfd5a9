import BelfryModel

extension PartyPart {
    /// The part of an identifier.
    func value(of party: PartyIdentifier) -> String {
        switch self {
        case .type: party.type
        case .name: party.name
        case .number: party.number
        }
    }
}
