import BelfryCampaigns

/// Checks the variants of any content (CAMP-6): not too many, each for a locale, and no two for the same one.
package struct VariantsCheck {
    package static let maximumCount = 100
    static let tooMany = "A content has at most \(maximumCount) variants."

    let field: String

    static func isTooMany(_ variants: [String: some Any]?) -> Bool { (variants?.count ?? 0) > maximumCount }

    /// Checks the locale of each variant, and its content by `checkVariant`. If there are too many variants, none is
    /// checked (SEC-8).
    func check<Variant>(
        _ variants: [String: Variant]?, _ errors: inout FieldErrors,
        _ checkVariant: (_ key: String, _ variant: Variant, _ field: String, _ errors: inout FieldErrors) -> Void
    ) {
        guard !Self.isTooMany(variants) else {
            return errors.reject(field, "tooMany", Self.tooMany)
        }
        var locales: Set<String> = []
        for (key, variant) in (variants ?? [:]).sorted(by: { $0.key < $1.key }) {
            let place = "\(field).\(key.prefix(64))"
            errors.require(
                LocaleMatch.isLocale(key), place, "invalidLocale",
                "A variant's key is a locale, such as 'fr' or 'zh-Hant'."
            )
            errors.require(
                locales.insert(LocaleMatch.canonical(key)).inserted, place, "duplicate",
                "Two variants are for the same locale."
            )
            checkVariant(key, variant, place, &errors)
        }
    }
}

/// Checks the defaults of a content's variables (CAMP-4). Whether the app has such attributes is checked when the
/// templates are compiled.
struct DefaultsCheck {
    static let maximumCount = 100
    static let tooMany = "A content has at most \(maximumCount) defaults."
    /// The most characters of a default.
    static let maximumLength = 1_000

    let defaults: [String: String]?
    let field: String

    static func isTooMany(_ defaults: [String: String]?) -> Bool { (defaults?.count ?? 0) > maximumCount }

    func check(_ errors: inout FieldErrors) {
        guard !Self.isTooMany(defaults) else {
            return errors.reject(field, "tooMany", Self.tooMany)
        }
        for (name, text) in (defaults ?? [:]).sorted(by: { $0.key < $1.key }) {
            errors.require(
                text.count <= Self.maximumLength, "\(field).\(name.prefix(64))", "tooLong",
                "A default has at most \(Self.maximumLength) characters."
            )
        }
    }
}
