import BelfryServices

/// Whether the database has said that it is damaged (FLEET-11).
struct DamageCheck: DoctorCheck {
    /// The data directory.
    let path: String
    let isMarked: Bool

    private static let name = "damage"

    var findings: [DoctorFinding] {
        guard isMarked else { return [.ok(Self.name, "The database has not said that it is damaged.")] }
        let mark = "\(path)/\(DamageMark.fileName)"
        return [
            .error(
                Self.name, "The database has said that it is damaged; \(mark) says when.",
                "Check the database or restore a copy, then remove that file.")
        ]
    }
}
