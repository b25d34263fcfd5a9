import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// A text of HTML as a campaign has it: in an in-app message or in a message center.
struct ComposedHTML {
    static let schema: [String: AttributeType] = [
        "city": .string, "firstName": .string, "link": .string, "vip": .boolean,
    ]

    let html: String
    var policy = HTMLPolicy.inApp(allowsScripts: false)

    /// Why a campaign with it is refused.
    var errors: [ValueError] {
        do throws(TemplateErrors) {
            _ = try template()
            return []
        } catch {
            return error.errors.map(\.error)
        }
    }

    var codes: [String] { errors.map(\.code) }

    /// The content for a recipient with these values; a needed variable without a value has a default.
    func rendered(_ values: [String: String]) throws -> String {
        try template()(values)
    }

    /// Compiles it, once for many recipients.
    func template() throws(TemplateErrors) -> ([String: String]) throws -> String {
        let defaults = ["city": "Town", "firstName": "you", "link": "https://example.com"]
        switch policy {
        case .richContent:
            let content = MessageCenterContent(subject: "a", message: "b", richHtml: html, defaults: defaults)
            let template = try MessageCenterTemplate(content, schema: Self.schema)
            return { values in
                try template.render(template.variables.map { values[$0.description] }).richHtml ?? ""
            }
        case .inApp(let allowsScripts):
            let draft = InAppDraft(type: .html, content: InAppContent(html: html), defaults: defaults)
            let template = try InAppTemplate(draft, schema: Self.schema, allowsScripts: allowsScripts)
            return { values in try template.render(template.variables.map { values[$0.description] }).html ?? "" }
        }
    }
}
