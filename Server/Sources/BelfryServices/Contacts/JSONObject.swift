import BelfryServerModel

/// A JSON object with any members, which is read and written unchanged.
package struct JSONObject: Hashable, Sendable, Codable {
    private let members: [String: AnyJSON]

    package init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: AnyJSON].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}
