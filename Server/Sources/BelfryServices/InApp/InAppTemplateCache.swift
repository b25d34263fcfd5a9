import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Synchronization

/// The templates of in-app messages, compiled once for each version of a campaign (CAMP-4), because devices fetch them
/// one by one.
final class InAppTemplateCache: Sendable {
    /// The cache's limit for all apps together, in bytes: more than one app's campaigns and tests may have. The size of
    /// the drafts counts; compiled templates take as much again.
    static let maximumBytes = 4 * InAppLimits.maximumActiveBytes

    /// The templates of a draft, or its errors. Errors are cached, too, because it takes as long to find them.
    typealias Outcome = Result<InAppTemplates, TemplateErrors>

    private struct Entry {
        let draft: InAppDraft
        let schema: [String: AttributeType]
        let allowsScripts: Bool
        let outcome: Outcome

        /// The approximate size in bytes. Nothing whose size cannot be measured is cached.
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
    ///   - schema: the app's attributes. Another schema makes other templates.
    ///   - allowsScripts: the app's setting `inAppScripts`. Without it, a message with script is an error.
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

    /// The cached result for the same draft and settings.
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

/// The compiled texts of an in-app message (IAM-1).
typealias InAppTemplates = VariantTemplates<InAppTemplate>

extension VariantTemplates<InAppTemplate> {
    /// - Parameters:
    ///   - allowsScripts: the app's setting `inAppScripts`.
    ///   - texts: a compiler for the app's attributes.
    init(_ draft: InAppDraft, allowsScripts: Bool, texts: TextCompiler) throws(TemplateErrors) {
        try self.init((draft.variants ?? [:]).keys.sorted()) { key throws(TemplateErrors) in
            try InAppTemplate(draft.variant(key), allowsScripts: allowsScripts, texts: texts)
        }
    }
}
