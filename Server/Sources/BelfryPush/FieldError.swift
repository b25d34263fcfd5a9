import BelfryModel

/// A refusal that names the field it is about, as the one who sent it spells it (`privateKey`, `teamId` …).
package struct FieldError: Error, Hashable, Sendable {
    package let field: String
    package let error: ValueError

    package init(field: String, error: ValueError) {
        self.field = field
        self.error = error
    }

    /// Runs `parse`; what it refuses is refused in the name of `field`.
    package static func naming<Value>(
        _ field: String,
        _ parse: () throws(ValueError) -> Value
    ) throws(FieldError) -> Value {
        do {
            return try parse()
        } catch {
            throw FieldError(field: field, error: error)
        }
    }

    /// What `parse` refuses, in the name of `field`; nil when it refuses nothing.
    static func check(_ field: String, _ parse: () throws(ValueError) -> Void) -> FieldError? {
        do {
            try parse()
            return nil
        } catch {
            return FieldError(field: field, error: error)
        }
    }
}

extension FieldError: CustomStringConvertible {
    package var description: String { "\(field): \(error.message)" }
}
