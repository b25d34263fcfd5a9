import BelfryModel
import BelfryRules
import BelfryStore

/// An in-app message, compiled: a template for each of its variants (CAMP-4, IAM-1).
struct InAppTemplates: Sendable {
    private struct Variant: Sendable {
        /// The locale that it is for; nil for the content itself.
        let key: String?
        let template: InAppTemplate
        /// Where the values of its variables stand among those of all variants.
        let places: [Int]
    }

    /// What the variants ask of a recipient, each once.
    let values: [RecipientValue]
    private let variants: [Variant]
    private let locales: LocaleTable
    private let numbers: [String: Int]

    /// - Parameters:
    ///   - schema: the app's attributes and their types.
    ///   - allowsScripts: the app's setting `inAppScripts`.
    init(_ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool) throws(TemplateFaults) {
        var variables: [TemplateVariable] = []
        var variants: [Variant] = []
        var numbers: [String: Int] = [:]
        let keys = (draft.variants ?? [:]).keys.sorted()
        for key in [nil] + keys as [String?] {
            let template = try InAppTemplate(draft.variant(key), schema: schema, allowsScripts: allowsScripts)
            for variable in template.variables where !variables.contains(variable) { variables.append(variable) }
            if let key { numbers[key] = variants.count }
            let places = template.variables.map { variables.firstIndex(of: $0) ?? 0 }
            variants.append(Variant(key: key, template: template, places: places))
        }
        values = variables.map(RecipientValue.init)
        self.variants = variants
        self.numbers = numbers
        locales = LocaleTable(keys)
    }

    /// Whether recipients of one variant get different texts.
    func isTemplated(_ variant: Int) -> Bool { variants[variant].template.isTemplated }

    /// The variant that a device of this locale gets.
    func variant(for locale: String?) -> Int {
        locales.best(for: locale).flatMap { numbers[$0] } ?? 0
    }

    /// The locale that a variant is for; nil for the content itself.
    func key(of variant: Int) -> String? { variants[variant].key }

    /// What one recipient gets.
    ///
    /// - Parameter values: in the order of ``values``.
    func content(of variant: Int, values: [String?]) throws(RenderFault) -> InAppContent {
        let variant = variants[variant]
        return try variant.template.render(variant.places.map { values[$0] })
    }

    func canRender(_ recipient: Recipient) -> Bool {
        (try? content(of: variant(for: recipient.locale), values: recipient.values)) != nil
    }
}
