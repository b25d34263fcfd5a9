import BelfryPush

/// The field that a refusal names; nil when nothing was refused.
func refusedField<Value>(_ make: () throws -> Value) -> String? {
    do {
        _ = try make()
        return nil
    } catch {
        let refusal = error as? FieldRefusal
        return refusal?.refusal.message.isEmpty == false ? refusal?.field : "no message"
    }
}
