import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// One variant of a content, compiled.
protocol VariantTemplate: Sendable {
    /// The result of rendering a variant for one recipient.
    associatedtype Rendered

    /// The variables of its texts, each once.
    var variables: [TemplateVariable] { get }

    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    func render(_ values: [String?]) throws(RenderError) -> Rendered
}

extension ContentTemplate: VariantTemplate {}
extension InAppTemplate: VariantTemplate {}
extension MessageCenterTemplate: VariantTemplate {}

/// A campaign's content, compiled: a template for each of its variants (CAMP-4, CAMP-6).
struct VariantTemplates<Template: VariantTemplate>: Sendable {
    /// A class, because every recipient uses one, and a copy would copy the whole content.
    private final class Variant: Sendable {
        /// The variant's locale; nil for the default content.
        let key: String?
        /// The indices of the variant's values among those of the campaign; nil if both have the same order.
        let places: [Int]?
        let template: Template

        init(key: String?, places: [Int]?, template: Template) {
            self.key = key
            self.places = places
            self.template = template
        }

        func own(_ values: [String?]) -> [String?] {
            guard let places else { return values }
            return places.map { values[$0] }
        }
    }

    /// The variables that the campaign needs for a recipient, each once, and where their values are stored.
    let variables: [TemplateVariable]
    let values: [RecipientValue]
    private let variants: [Variant]
    private let numbers: [String: Int]
    private let locales: LocaleTable

    /// - Parameters:
    ///   - keys: the locales with a variant of their own.
    ///   - others: other variables that the campaign needs for a recipient.
    ///   - compile: compiles a locale's variant, or for nil the default content.
    init(
        _ keys: [String], also others: [TemplateVariable] = [],
        _ compile: (String?) throws(TemplateErrors) -> Template
    ) throws(TemplateErrors) {
        var all = VariableNumbers()
        var variants: [(key: String?, template: Template)] = []
        for key in [nil] + keys as [String?] {
            let template = try compile(key)
            for variable in template.variables { _ = all.number(of: variable) }
            variants.append((key: key, template: template))
        }
        for variable in others { _ = all.number(of: variable) }
        self.init(variants, LocaleTable(keys), reading: all.all)
    }

    private init(
        _ variants: [(key: String?, template: Template)], _ locales: LocaleTable, reading variables: [TemplateVariable]
    ) {
        let places = Dictionary(zip(variables, variables.indices)) { first, _ in first }
        self.variables = variables
        values = variables.map(RecipientValue.init)
        self.variants = variants.map { variant in
            let own = variant.template.variables.map { places[$0] ?? 0 }
            let isWhole = own.elementsEqual(variables.indices)
            return Variant(key: variant.key, places: isWhole ? nil : own, template: variant.template)
        }
        numbers = variants.indices.reduce(into: [:]) { numbers, index in
            if let key = variants[index].key { numbers[key] = index }
        }
        self.locales = locales
    }

    /// The same templates, reading recipients' values in another order.
    ///
    /// - Parameter variables: all variables that the campaign needs, including those of the variants.
    func reading(_ variables: [TemplateVariable]) -> VariantTemplates {
        VariantTemplates(variants.map { (key: $0.key, template: $0.template) }, locales, reading: variables)
    }

    /// The variant that a device of this locale gets.
    func variant(for locale: String?) -> Int {
        locales.best(for: locale).flatMap { numbers[$0] } ?? 0
    }

    /// Whether a variant differs by recipient.
    func differs(_ variant: Int) -> Bool { !variants[variant].template.variables.isEmpty }

    /// The locale of a variant; nil for the default content.
    func key(of variant: Int) -> String? { variants[variant].key }

    /// Renders a variant for one recipient.
    ///
    /// - Parameter values: in the order of ``values``.
    func render(_ variant: Int, values: [String?]) throws(RenderError) -> Template.Rendered {
        try variants[variant].template.render(variants[variant].own(values))
    }

    func canRender(_ recipient: Recipient) -> Bool {
        (try? render(variant(for: recipient.locale), values: recipient.values)) != nil
    }
}

/// The compiled contents of a campaign's pushes. Rendering one gives the texts of a recipient's placeholders.
typealias PushTemplates = VariantTemplates<ContentTemplate>

extension VariantTemplates<ContentTemplate> {
    /// - Parameter others: other variables that the campaign needs for a recipient.
    init(
        _ content: PushContent, texts: TextCompiler, also others: [TemplateVariable] = []
    ) throws(TemplateErrors) {
        try self.init((content.variants ?? [:]).keys.sorted(), also: others) { key throws(TemplateErrors) in
            try ContentTemplate(content.variant(key), texts: texts)
        }
    }

    /// The content of a variant, with placeholders where texts differ by recipient.
    func content(of variant: Int) -> PushContent { variants[variant].template.content }

    /// The content of a variant as one recipient would see it.
    func preview(of variant: Int, values: [String?]) throws(RenderError) -> PushContent {
        try variants[variant].template.content(for: variants[variant].own(values))
    }
}

/// The compiled message center messages of a campaign (MC-3).
struct MessageCenterTemplates: Sendable {
    let center: MessageCenterName
    let expiresAt: Date?
    /// The messages, for the locales of the message and of the push beside it.
    var messages: VariantTemplates<MessageCenterTemplate>

    /// - Parameter draft: a draft of a kind with a message center message.
    init(_ draft: CampaignDraft, texts: TextCompiler) throws(TemplateErrors) {
        // The name was checked when the draft was saved.
        center = draft.messageCenter?.center.map(MessageCenterName.init(stored:)) ?? .primary
        expiresAt = draft.messageCenter?.expiresAt
        let kept = KeptMessages(draft)
        messages = try VariantTemplates(kept.locales) { locale throws(TemplateErrors) in
            try MessageCenterTemplate(kept.message(locale), texts: texts)
        }
    }
}

extension VariantTemplates<MessageCenterTemplate> {
    /// Whether a variant differs by recipient.
    func isTemplated(_ variant: Int) -> Bool { variants[variant].template.isTemplated }

    /// Whether a variant contains values of the recipient's contact, and not only of the device.
    func isPersonal(_ variant: Int) -> Bool {
        variants[variant].template.variables.contains { variable in
            switch variable {
            case .attribute, .contactKey, .party: true
            case .device: false
            }
        }
    }

    /// Whether a variant's HTML, which may be large, is rendered for each recipient.
    func makesRichContent(_ variant: Int) -> Bool { variants[variant].template.hasTemplatedRichHTML }

    /// Whether any variant's HTML is rendered for each recipient.
    var makesRichContent: Bool { variants.contains(where: \.template.hasTemplatedRichHTML) }
}

extension RecipientValue {
    fileprivate init(_ variable: TemplateVariable) {
        switch variable {
        case .attribute(let name): self = .attribute(name)
        case .device(let property): self = .device(property)
        case .contactKey: self = .contactKey
        case .party(let part): self = .party(part)
        }
    }
}
