import BelfryModel

/// A refusal that names the field it is about, as the one who sent it spells it (`privateKey`, `teamId` …).
package struct FieldRefusal: Error, Hashable, Sendable {
    package let field: String
    package let refusal: Refusal

    package init(field: String, refusal: Refusal) {
        self.field = field
        self.refusal = refusal
    }

    /// Runs `parse`; what it refuses is refused in the name of `field`.
    package static func naming<Value>(
        _ field: String,
        _ parse: () throws(Refusal) -> Value
    ) throws(FieldRefusal) -> Value {
        do {
            return try parse()
        } catch {
            throw FieldRefusal(field: field, refusal: error)
        }
    }

    /// What `parse` refuses, in the name of `field`; nil when it refuses nothing.
    static func fault(_ field: String, _ parse: () throws(Refusal) -> Void) -> FieldRefusal? {
        do {
            try parse()
            return nil
        } catch {
            return FieldRefusal(field: field, refusal: error)
        }
    }
}

extension FieldRefusal: CustomStringConvertible {
    package var description: String { "\(field): \(refusal.message)" }
}
