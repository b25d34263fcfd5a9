import BelfryModel

/// An error that names its field as the sender spells it (`privateKey`, `teamId` …).
package struct FieldError: Error, Hashable, Sendable {
    package let field: String
    package let error: ValueError

    package init(field: String, error: ValueError) {
        self.field = field
        self.error = error
    }

    /// Runs `parse` and turns its error into one that names `field`.
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

    /// The error of `parse` as one that names `field`; nil when there is none.
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
