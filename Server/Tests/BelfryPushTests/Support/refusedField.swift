import BelfryPush

/// The field that the error names; nil if there was no error.
func refusedField<Value>(_ make: () throws -> Value) -> String? {
    do {
        _ = try make()
        return nil
    } catch {
        let refusal = error as? FieldError
        return refusal?.error.message.isEmpty == false ? refusal?.field : "no message"
    }
}
