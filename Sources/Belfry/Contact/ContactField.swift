import BelfryModel
import BelfryRules

/// The name of the contact field to which a contact key belongs (ID-3).
struct ContactField: Hashable {
    let name: String

    /// Trims. Throws when the result is empty or too long for the server.
    init(_ raw: String) throws(ValueError) {
        name = try NamingRule.parse(raw, "A contact field", maximumLength: SnapshotReading.maximumPropertyLength)
    }
}
