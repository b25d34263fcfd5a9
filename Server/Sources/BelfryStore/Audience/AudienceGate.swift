/// The devices for which the result of a part of a predicate matters: those of the scope for which the other parts do
/// not already decide.
struct AudienceGate {
    /// Limits on the repeated conditions of other parts: they must cost less than they save, and engines limit the size
    /// of statements.
    private static let maximumArguments = 64
    private static let maximumLength = 4_096

    let scope: AudienceScope
    private var parts: [SQLFragment] = []

    init(scope: AudienceScope) {
        self.scope = scope
    }

    /// The devices of the gate, as a condition.
    var condition: SQLFragment { .joined([scope.condition] + parts, by: "AND") }

    /// The gate of only those devices that also fulfil these conditions.
    func adding(_ others: [SQLFragment]) -> AudienceGate {
        var gate = self
        var arguments = gate.parts.reduce(0) { $0 + $1.arguments.count }
        var length = gate.parts.reduce(0) { $0 + $1.sql.statement.utf8.count }
        for other in others {
            let (ownArguments, ownLength) = (other.arguments.count, other.sql.statement.utf8.count)
            guard arguments + ownArguments <= Self.maximumArguments, length + ownLength <= Self.maximumLength else {
                continue
            }
            gate.parts.append(other)
            arguments += ownArguments
            length += ownLength
        }
        return gate
    }
}
