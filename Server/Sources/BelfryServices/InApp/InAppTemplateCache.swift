import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Synchronization

/// The templates of in-app messages, compiled once for each version of a campaign (CAMP-4): devices come for them one
/// by one.
final class InAppTemplateCache: Sendable {
    /// Campaigns; a message has up to some hundred kilobytes. Beyond them the memory starts anew.
    static let maximumCount = 2 * InAppLimits.maximumActive

    private struct Entry {
        let draft: InAppDraft
        let schema: [String: AttributeType]
        let allowsScripts: Bool
        let templates: InAppTemplates
    }

    private let entries = Mutex<[CampaignID: Entry]>([:])

    /// - Parameters:
    ///   - schema: the app's attributes: another one makes other templates.
    ///   - allowsScripts: the app's setting `inAppScripts`: without it, a message with script is none.
    func templates(
        of id: CampaignID, _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) throws(TemplateErrors) -> InAppTemplates {
        let known = entries.withLock { $0[id] }
        if let known, known.allowsScripts == allowsScripts, known.schema == schema, known.draft == draft {
            return known.templates
        }
        let templates = try InAppTemplates(
            draft, allowsScripts: allowsScripts, texts: TextCompiler(schema: schema)
        )
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = [:] }
            entries[id] = Entry(
                draft: draft, schema: schema, allowsScripts: allowsScripts, templates: templates
            )
        }
        return templates
    }
}

/// An in-app message, compiled (IAM-1).
typealias InAppTemplates = VariantTemplates<InAppTemplate>

extension VariantTemplates<InAppTemplate> {
    /// - Parameters:
    ///   - allowsScripts: the app's setting `inAppScripts`.
    ///   - texts: compiles by the app's attributes.
    init(_ draft: InAppDraft, allowsScripts: Bool, texts: TextCompiler) throws(TemplateErrors) {
        try self.init((draft.variants ?? [:]).keys.sorted()) { key throws(TemplateErrors) in
            try InAppTemplate(draft.variant(key), allowsScripts: allowsScripts, texts: texts)
        }
    }
}
