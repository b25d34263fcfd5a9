import BelfryModel
import BelfryWire

extension JSONWriter {
    /// Writes `"registration":{…}` in the same form as the encoder (REG-25).
    mutating func member(registration result: RegistrationResult) {
        literal(#""registration":{"rejected":["#)
        for (index, field) in result.rejected.enumerated() {
            literal(index == 0 ? #"{"field":"# : #",{"field":"#)
            string(field.field)
            literal(#","message":"#)
            string(field.message)
            literal(#","reason":"#)
            string(field.reason)
            literal("}")
        }
        literal(#"],"revision":"#)
        integer(result.revision)
        literal("}")
    }
}
