import BelfryModel

extension Condition {
    /// Whether its answer may change though neither the device nor its contact does: it asks what happened, an opening
    /// of the app among it, or counts from now.
    package var isVolatile: Bool {
        switch self {
        case .event, .deviceFact(.lastOpenedAt, _): true
        case .all(let parts), .any(let parts): parts.contains(where: \.isVolatile)
        case .not(let part): part.isVolatile
        case .attribute(_, let comparison), .deviceFact(_, let comparison):
            comparison.values.contains(where: \.isRelative)
        case .everyone, .device, .tag, .contactKeys, .deviceIDs, .known, .party: false
        }
    }
}

extension AttributeValue {
    /// Whether it may be a date that counts from now (``DateSpan``): `-P30D`, `+P1D`, `P7D`. Of an attribute that is no
    /// date it is a text; to take it for a date then costs time and nothing else.
    fileprivate var isRelative: Bool {
        guard case .string(let text) = self else { return false }
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        return digits.first == "P" && (try? ISODuration(String(digits))) != nil
    }
}
