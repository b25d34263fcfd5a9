import BelfryPush

/// The field that the error names; nil if there was no error.
func rejectedField<Value>(_ make: () throws -> Value) -> String? {
    do {
        _ = try make()
        return nil
    } catch {
        let fieldError = error as? FieldError
        return fieldError?.error.message.isEmpty == false ? fieldError?.field : "no message"
    }
}
