import BelfryModel

extension Condition {
    /// Whether the result may change although neither the device nor its contact does: because the predicate depends on
    /// events, on openings of the app, or on the present time.
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
    /// Whether the value may be a date relative to now (``DateSpan``): `-P30D`, `+P1D`, `P7D`. For an attribute that is
    /// no date it is a text. To treat it as a date then only costs time.
    fileprivate var isRelative: Bool {
        guard case .string(let text) = self else { return false }
        let isSigned = text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+")
        let digits = isSigned ? text.utf8.dropFirst() : text[...].utf8
        return digits.first == UInt8(ascii: "P") && (try? ISODuration(String(Substring(digits)))) != nil
    }
}
