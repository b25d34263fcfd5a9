import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Makes an app's in-app messages for a device's contact, in the view of the store in which their campaigns were found.
/// What is the app's is read once for all of them: it may have many attributes, and many campaigns (SEC-2).
struct InAppRendering {
    let connection: any SQLConnection
    private let app: Int64
    private let cache: InAppTemplateCache
    private var attributes: AppAttributes?
    private var appAllowsScripts: Bool?

    private struct AppAttributes {
        let schema: [String: AttributeType]
        let columns: AudienceColumns
    }

    init(of app: Int64, by cache: InAppTemplateCache, in connection: any SQLConnection) {
        self.app = app
        self.cache = cache
        self.connection = connection
    }

    /// The message as the device's contact gets it; nil when the device is gone. Throws a ``RenderError`` when it
    /// cannot be made.
    mutating func draft(of row: CampaignRow, device: Int64) throws -> InAppDraft? {
        guard let draft = row.campaign.draft.inApp else { return nil }
        let attributes = try appAttributes()
        // Only of HTML it is asked.
        let allowsScripts = try draft.hasHTML && allowsInAppScripts()
        let templates: InAppTemplates
        do throws(TemplateErrors) {
            templates = try cache.templates(
                of: row.id, app: app, draft, schema: attributes.schema, allowsScripts: allowsScripts
            )
        } catch {
            throw RenderError(error)
        }
        let found = try connection.recipients.find(device, values: templates.values, in: attributes.columns)
        guard let recipient = found else { return nil }
        let variant = templates.variant(for: recipient.locale)
        var own = draft.variant(templates.key(of: variant))
        own.content = try templates.render(variant, values: recipient.values)
        return own
    }

    private mutating func appAttributes() throws -> AppAttributes {
        if let attributes { return attributes }
        let read = AppAttributes(
            schema: try connection.attributes.schema(app: app), columns: try connection.attributes.columns(app: app)
        )
        attributes = read
        return read
    }

    private mutating func allowsInAppScripts() throws -> Bool {
        if let appAllowsScripts { return appAllowsScripts }
        let read = try connection.apps.find(id: app)?.settings.allowsInAppScripts ?? false
        appAllowsScripts = read
        return read
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
