import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Renders an app's in-app messages for a device's contact, in the view of the store in which their campaigns were
/// found. The app's attributes and settings are read once for all messages: there may be many attributes, and many
/// campaigns (SEC-2).
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

    /// The message as the device's contact gets it. Nil when the device does not exist any more. Throws a
    /// ``RenderError`` when the message cannot be rendered.
    mutating func draft(of row: CampaignRow, device: Int64) throws -> InAppDraft? {
        guard let draft = row.campaign.draft.inApp else { return nil }
        let attributes = try appAttributes()
        // The setting matters only for HTML, so it is read only then.
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
    /// The saved message no longer fits the app's attributes, or the rules for its HTML.
    fileprivate init(_ errors: TemplateErrors) {
        let first = errors.errors.first
        self.init(
            field: first.map { "content.\($0.field)" } ?? "content", variable: "",
            sentence: "It can no longer be rendered: \(first?.error.message ?? "its templates are invalid.")"
        )
    }
}
