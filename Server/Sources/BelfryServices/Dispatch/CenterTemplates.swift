import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What a campaign keeps in a message centre, compiled: a template for each of its variants (CAMP-4, MC-3).
struct CenterTemplates: Sendable {
    private struct Variant: Sendable {
        /// The locale that it is for; nil for the content itself.
        let key: String?
        let template: MessageCenterTemplate
        /// Where the values of its variables stand among those of the campaign.
        var places: [Int]
    }

    let center: MessageCenterName
    let expiresAt: Date?
    /// What the variants ask of a recipient, each once.
    let variables: [TemplateVariable]
    private var variants: [Variant]
    private let locales: LocaleTable
    private let numbers: [String: Int]

    /// - Parameter draft: of a kind that keeps a message.
    init(_ draft: CampaignDraft, schema: [String: AttributeType]) throws(TemplateFaults) {
        var variables: [TemplateVariable] = []
        var variants: [Variant] = []
        var numbers: [String: Int] = [:]
        let keys = draft.keptMessageLocales
        for key in [nil] + keys as [String?] {
            let template = try MessageCenterTemplate(draft.keptMessage(key), schema: schema)
            for variable in template.variables where !variables.contains(variable) { variables.append(variable) }
            if let key { numbers[key] = variants.count }
            variants.append(
                Variant(
                    key: key, template: template,
                    places: template.variables.map { variables.firstIndex(of: $0) ?? 0 }
                )
            )
        }
        // It was checked when the draft was saved.
        center = draft.messageCenter?.center.map(MessageCenterName.init(stored:)) ?? .primary
        expiresAt = draft.messageCenter?.expiresAt
        self.variables = variables
        self.variants = variants
        self.numbers = numbers
        locales = LocaleTable(keys)
    }

    /// The same for recipients whose values come in another order.
    ///
    /// - Parameter values: all that the campaign asks for, ``variables`` among them.
    func reading(_ values: [RecipientValue]) -> CenterTemplates {
        var templates = self
        for index in variants.indices {
            templates.variants[index].places = variants[index].template.variables.map { variable in
                values.firstIndex(of: RecipientValue(variable)) ?? 0
            }
        }
        return templates
    }

    /// The variant that a device of this locale gets.
    func variant(for locale: String?) -> Int {
        locales.best(for: locale).flatMap { numbers[$0] } ?? 0
    }

    /// The locale that a variant is for; nil for the content itself.
    func key(of variant: Int) -> String? { variants[variant].key }

    /// Whether a variant differs by recipient.
    func isTemplated(_ variant: Int) -> Bool { variants[variant].template.isTemplated }

    /// Whether HTML is made for each recipient: it may be large.
    var makesRichContent: Bool { variants.contains(where: \.template.hasTemplatedRichHTML) }

    /// The same of one variant.
    func makesRichContent(_ variant: Int) -> Bool { variants[variant].template.hasTemplatedRichHTML }

    /// What one recipient gets.
    ///
    /// - Parameter values: in the order of the campaign's.
    func content(of variant: Int, values: [String?]) throws(RenderFault) -> MessageCenterContent {
        let variant = variants[variant]
        return try variant.template.render(variant.places.map { values[$0] })
    }

    func canRender(_ recipient: Recipient) -> Bool {
        (try? content(of: variant(for: recipient.locale), values: recipient.values)) != nil
    }
}
