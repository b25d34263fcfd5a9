import BelfryCampaigns
import BelfryModel
import BelfryPush
import Foundation

/// All that is wrong with what somebody sent, not the first error alone (ADM-3), in the order in which it was found.
struct FieldErrors {
    private(set) var all: [FieldError] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func require(_ condition: Bool, _ field: String, _ code: String, _ message: String) {
        if !condition { refuse(field, code, message) }
    }

    /// - Parameter message: takes the allowed numbers as text: "0 to 10".
    mutating func require(_ number: Int, in allowed: ClosedRange<Int>, _ field: String, _ message: (String) -> String) {
        guard !allowed.contains(number) else { return }
        refuse(field, "outOfRange", message("\(allowed.lowerBound) to \(allowed.upperBound)"))
    }

    /// Pairs that somebody names as they like: their size is bounded, and what JSON cannot say is refused.
    mutating func require(_ pairs: [String: AttributeValue], maximumBytes: Int, _ field: String, _ what: String) {
        guard let json = try? JSONEncoder().encode(pairs) else {
            return refuse(field, "notEncodable", "\(what) cannot be written as JSON.")
        }
        require(json.count <= maximumBytes, field, "tooLong", "\(what) have at most \(maximumBytes) bytes as JSON.")
    }

    mutating func refuse(_ field: String, _ code: String, _ message: String) {
        refuse(field, ValueError(code: code, message: message))
    }

    mutating func refuse(_ field: String, _ error: ValueError) {
        all.append(FieldError(field: field, error: error))
    }

    /// Refuses what does not compile.
    ///
    /// - Parameter place: takes a field of what was compiled and gives it as the sender knows it; nil when another error
    ///   tells it.
    mutating func refuse(_ errors: TemplateErrors, _ place: (String) -> String?) {
        for error in errors.errors {
            if let field = place(error.field) { refuse(field, error.error) }
        }
    }
}

extension [String] {
    /// The names of those fields that have a value, in this order.
    init(said fields: KeyValuePairs<String, Any?>) {
        self = fields.filter { $0.value != nil }.map(\.key)
    }
}
