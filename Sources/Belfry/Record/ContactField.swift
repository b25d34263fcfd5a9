import BelfryModel
import BelfryRules

/// The name of the field that a contact key is a value of (ID-3).
struct ContactField: Hashable {
    let name: String

    /// Trims. Throws when that leaves nothing, or more than the server takes.
    init(_ raw: String) throws(Refusal) {
        name = try NamingRule.parse(raw, "A contact field", maximumLength: SnapshotReading.maximumPropertyLength)
    }
}
