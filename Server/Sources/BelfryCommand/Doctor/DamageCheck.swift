import BelfryServices

/// Checks whether the database has reported damage (FLEET-11).
struct DamageCheck: DoctorCheck {
    /// The path of the data directory.
    let path: String
    let isMarked: Bool

    private static let name = "damage"

    var findings: [DoctorFinding] {
        guard isMarked else { return [.ok(Self.name, "The database has not reported damage.")] }
        let mark = "\(path)/\(DamageMark.fileName)"
        return [
            .error(
                Self.name, "The database has reported damage; \(mark) contains the time.",
                "Check the database or restore a copy, then remove that file.")
        ]
    }
}
