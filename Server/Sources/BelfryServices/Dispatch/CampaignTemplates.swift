import BelfryModel
import BelfryRules
import BelfryStore

/// A campaign's content, compiled: a template for each of its variants (CAMP-4, CAMP-6).
struct CampaignTemplates: Sendable {
    /// A reference, for every recipient asks one, and a copy would copy the whole content.
    private final class Variant: Sendable {
        let template: ContentTemplate
        /// Where the values of its variables stand among those of all variants; nil: in the same order.
        let places: [Int]?

        init(template: ContentTemplate, places: [Int]?) {
            self.template = template
            self.places = places
        }

        func own(_ values: [String?]) -> [String?] {
            guard let places else { return values }
            return places.map { values[$0] }
        }
    }

    /// What the variants ask of a recipient, each once.
    let values: [RecipientValue]
    private let variants: [Variant]
    /// By locale; what is not here gets the first variant, the content itself.
    private let numbers: [String: Int]

    /// - Parameter others: what else the campaign asks of a recipient.
    init(
        _ content: PushContent, schema: [String: AttributeType], also others: [TemplateVariable] = []
    ) throws(TemplateFaults) {
        var variables: [TemplateVariable] = []
        var variants: [Variant] = []
        var numbers: [String: Int] = [:]
        let keys: [String?] = [nil] + (content.variants ?? [:]).keys.sorted()
        for key in keys {
            let template = try ContentTemplate(content.variant(key), schema: schema)
            for variable in template.variables where !variables.contains(variable) { variables.append(variable) }
            let places = template.variables.map { variable in variables.firstIndex(of: variable) ?? 0 }
            if let key { numbers[key] = variants.count }
            variants.append(Variant(template: template, places: places))
        }
        for variable in others where !variables.contains(variable) { variables.append(variable) }
        values = variables.map(RecipientValue.init)
        self.variants = variants.map { variant in
            let isWhole = variant.places.map { $0.elementsEqual(variables.indices) } ?? true
            return isWhole ? Variant(template: variant.template, places: nil) : variant
        }
        self.numbers = numbers
    }

    /// The variant that a device of this locale gets.
    func variant(for locale: String?) -> Int {
        guard !numbers.isEmpty, let key = LocaleMatch.best(of: numbers.keys, for: locale) else { return 0 }
        return numbers[key] ?? 0
    }

    /// The locale that a variant is for; nil for the content itself.
    func key(of variant: Int) -> String? {
        numbers.first { $0.value == variant }?.key
    }

    /// What a variant says, with gaps where texts differ by recipient.
    func content(of variant: Int) -> PushContent {
        variants[variant].template.content
    }

    /// The texts for one recipient's gaps.
    ///
    /// - Parameter values: in the order of ``values``.
    func texts(of variant: Int, values: [String?]) throws(RenderFault) -> [String] {
        try variants[variant].template.render(variants[variant].own(values))
    }

    func canRender(_ recipient: Recipient) -> Bool {
        (try? texts(of: variant(for: recipient.locale), values: recipient.values)) != nil
    }

    /// What one recipient would see.
    func preview(of variant: Int, values: [String?]) throws(RenderFault) -> PushContent {
        try variants[variant].template.content(for: variants[variant].own(values))
    }
}

extension RecipientValue {
    init(_ variable: TemplateVariable) {
        switch variable {
        case .attribute(let name): self = .attribute(name)
        case .device(let property): self = .device(property)
        case .contactKey: self = .contactKey
        }
    }
}
