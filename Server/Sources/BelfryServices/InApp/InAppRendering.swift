import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Makes an in-app message for a device's contact, in the view of the store in which its campaign was found.
struct InAppRendering {
    let connection: any SQLConnection
    let cache: InAppTemplateCache

    /// The message as the device's contact gets it; nil when the device is gone. Throws a ``RenderError`` when it
    /// cannot be made.
    func draft(of row: CampaignRow, device: Int64) throws -> InAppDraft? {
        guard let draft = row.campaign.draft.inApp else { return nil }
        let schema = try connection.attributes.schema(app: row.app)
        // Only of HTML it is asked.
        let allowsScripts =
            try draft.hasHTML && (connection.apps.find(id: row.app)?.settings.allowsInAppScripts ?? false)
        let templates: InAppTemplates
        do throws(TemplateErrors) {
            templates = try cache.templates(
                of: row.id, app: row.app, draft, schema: schema, allowsScripts: allowsScripts
            )
        } catch {
            throw RenderError(error)
        }
        guard let recipient = try connection.recipients.find(device, app: row.app, values: templates.values) else {
            return nil
        }
        let variant = templates.variant(for: recipient.locale)
        var own = draft.variant(templates.key(of: variant))
        own.content = try templates.render(variant, values: recipient.values)
        return own
    }
}

extension InAppDraft {
    fileprivate var hasHTML: Bool {
        content.html != nil || (variants ?? [:]).values.contains { $0.html != nil }
    }
}

extension RenderError {
    /// What was saved fits the app no more, or the rules of its HTML.
    fileprivate init(_ errors: TemplateErrors) {
        let first = errors.errors.first
        self.init(
            field: first.map { "content.\($0.field)" } ?? "content", variable: "",
            sentence: "It can no longer be rendered: \(first?.error.message ?? "its templates are invalid.")"
        )
    }
}
