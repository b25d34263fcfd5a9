import BelfryCampaigns
import BelfryModel
import BelfryPush
import Foundation

/// Collects all errors of a request, not only the first (ADM-3), in the order in which they are found.
struct FieldErrors {
    private(set) var all: [FieldError] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func require(_ condition: Bool, _ field: String, _ code: String, _ message: String) {
        if !condition { reject(field, code, message) }
    }

    /// - Parameter message: gets the allowed range as text, such as "0 to 10".
    mutating func require(_ number: Int, in allowed: ClosedRange<Int>, _ field: String, _ message: (String) -> String) {
        guard !allowed.contains(number) else { return }
        reject(field, "outOfRange", message("\(allowed.lowerBound) to \(allowed.upperBound)"))
    }

    /// Checks custom key-value pairs: their size is bounded, and values that JSON cannot express are errors.
    mutating func require(_ pairs: [String: AttributeValue], maximumBytes: Int, _ field: String, _ what: String) {
        guard let json = try? JSONEncoder().encode(pairs) else {
            return reject(field, "notEncodable", "\(what) cannot be written as JSON.")
        }
        require(json.count <= maximumBytes, field, "tooLong", "\(what) have at most \(maximumBytes) bytes as JSON.")
    }

    mutating func reject(_ field: String, _ code: String, _ message: String) {
        reject(field, ValueError(code: code, message: message))
    }

    mutating func reject(_ field: String, _ error: ValueError) {
        all.append(FieldError(field: field, error: error))
    }

    /// Adds the errors of templates that do not compile.
    ///
    /// - Parameter place: turns a field of the compiled content into the field of the request; nil if another error
    ///   already reports it.
    mutating func reject(_ errors: TemplateErrors, _ place: (String) -> String?) {
        for error in errors.errors {
            if let field = place(error.field) { reject(field, error.error) }
        }
    }
}

extension [String] {
    /// The names of the fields that have a value, in this order.
    init(said fields: KeyValuePairs<String, Any?>) {
        self = fields.filter { $0.value != nil }.map(\.key)
    }
}
