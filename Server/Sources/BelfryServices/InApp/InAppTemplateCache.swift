import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Synchronization

/// The templates of in-app messages, compiled once for each version of a campaign (CAMP-4): devices come for them one
/// by one.
final class InAppTemplateCache: Sendable {
    /// For all apps together: more than the campaigns and the tests of one may have. They are counted by what drafts say;
    /// compiled it takes as much again.
    static let maximumBytes = 4 * InAppLimits.maximumActiveBytes

    /// What came of a draft, refused ones as well: to find that out takes as long.
    typealias Outcome = Result<InAppTemplates, TemplateErrors>

    private struct Entry {
        let draft: InAppDraft
        let schema: [String: AttributeType]
        let allowsScripts: Bool
        let outcome: Outcome

        /// About the bytes that it holds. Of what cannot be measured nothing is kept.
        var size: Int {
            guard let text = try? JSONText.encode(draft) else { return InAppTemplateCache.maximumBytes }
            let names = schema.keys.reduce(0) { $0 + $1.utf8.count + 32 }
            guard case .failure(let errors) = outcome else { return text.utf8.count + names }
            return errors.errors.reduce(text.utf8.count + names) { sum, error in
                sum + error.field.utf8.count + error.error.message.utf8.count
            }
        }
    }

    private let entries = Mutex(AppMemory<CampaignID, Entry>(maximumBytes: maximumBytes))

    /// - Parameters:
    ///   - schema: the app's attributes: another one makes other templates.
    ///   - allowsScripts: the app's setting `inAppScripts`: without it, a message with script is none.
    func templates(
        of id: CampaignID, app: Int64, _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) throws(TemplateErrors) -> InAppTemplates {
        if let known = self.known(of: id, app: app, draft, schema: schema, allowsScripts: allowsScripts) {
            return try known.get()
        }
        let outcome = Self.compiled(draft, schema: schema, allowsScripts: allowsScripts)
        let entry = Entry(draft: draft, schema: schema, allowsScripts: allowsScripts, outcome: outcome)
        let size = entry.size
        entries.withLock { $0.insert(entry, for: id, of: app, size: size) }
        return try outcome.get()
    }

    /// What is remembered of the very same.
    func known(
        of id: CampaignID, app: Int64, _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) -> Outcome? {
        guard let known = entries.withLock({ $0.find(id, of: app) }), known.allowsScripts == allowsScripts,
            known.schema == schema, known.draft == draft
        else { return nil }
        return known.outcome
    }

    private static func compiled(
        _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) -> Outcome {
        do throws(TemplateErrors) {
            return .success(
                try InAppTemplates(draft, allowsScripts: allowsScripts, texts: TextCompiler(schema: schema))
            )
        } catch {
            return .failure(error)
        }
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
