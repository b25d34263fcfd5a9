import BelfryModel
import BelfryWire

/// Why bytes are not valid JSON, or why a value does not have the expected type.
enum JSONError: Error, Hashable, Sendable {
    case notUTF8
    /// Not JSON: nothing of the body is used.
    case malformed(offset: Int, expected: String)
    case tooDeep
    /// A list with too many elements.
    case tooMany(field: String, maximum: Int)
    /// JSON of another type than this field has; the field is empty for the body itself.
    case unexpected(field: String, expected: String)

    /// The same error, with the path as seen from one level higher.
    func inside(_ key: String) -> JSONError {
        guard case .unexpected(let field, let expected) = self else { return self }
        let separator = field.isEmpty || field.utf8.starts(with: "[".utf8) ? "" : "."
        // A client's key may be long, so only a recognizable part of it is repeated.
        return .unexpected(field: key.prefix(64) + separator + field, expected: expected)
    }
}

extension JSONError {
    init(_ error: JSONGrammarError) {
        self =
            switch error {
            case .notUTF8: .notUTF8
            case .tooDeep: .tooDeep
            case .tooLong: .malformed(offset: 0, expected: "less")
            case .malformed(let offset, let expected): .malformed(offset: offset, expected: expected)
            }
    }

    /// The field with the error; nil for the body as a whole.
    var field: String? {
        switch self {
        case .tooMany(let field, _): field
        case .unexpected(let field, _) where !field.isEmpty: field
        default: nil
        }
    }

    /// A description for people.
    var reason: String {
        switch self {
        case .notUTF8: "The body is not UTF-8."
        case .malformed(let offset, let expected): "The body is not JSON: at byte \(offset), expected \(expected)."
        case .tooDeep: "The body is nested deeper than \(WireLimits.maximumJSONDepth) levels."
        case .tooMany(let field, let maximum): "\(field) has more than \(maximum) elements. Send fewer in one request."
        case .unexpected("", let expected): "expected \(expected)"
        case .unexpected(let field, let expected): "\(field): expected \(expected)"
        }
    }
}
