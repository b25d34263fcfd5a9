/// The defaults of a content's variables (CAMP-4). Whether the app has such attributes, the templates' compiler knows.
struct DefaultsCheck {
    static let maximumCount = 100
    /// Characters of a default.
    static let maximumLength = 1_000

    let defaults: [String: String]?
    let field: String

    static func isTooMany(_ defaults: [String: String]?) -> Bool { (defaults?.count ?? 0) > maximumCount }

    func check(_ errors: inout FieldErrors) {
        guard !Self.isTooMany(defaults) else {
            return errors.refuse(field, "tooMany", "A content has at most \(Self.maximumCount) defaults.")
        }
        for (name, text) in (defaults ?? [:]).sorted(by: { $0.key < $1.key }) {
            errors.require(
                text.count <= Self.maximumLength, "\(field).\(name.prefix(64))", "tooLong",
                "A default has at most \(Self.maximumLength) characters."
            )
        }
    }
}
