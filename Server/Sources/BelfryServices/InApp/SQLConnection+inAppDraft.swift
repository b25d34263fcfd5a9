import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

extension InAppDraft {
    fileprivate var hasHTML: Bool {
        content.html != nil || (variants ?? [:]).values.contains { $0.html != nil }
    }
}

extension RenderFault {
    /// What was saved fits the app no more, or the rules of its HTML.
    fileprivate init(_ faults: TemplateFaults) {
        let fault = faults.faults.first
        self.init(
            field: fault.map { "content.\($0.field)" } ?? "content", variable: "",
            sentence: "It cannot be made for anybody any more: \(fault?.refusal.message ?? "its templates are wrong.")"
        )
    }
}

extension SQLConnection {
    /// The message as the device's contact gets it; nil when the device is gone. Throws a ``RenderFault`` when it
    /// cannot be made.
    func inAppDraft(of row: CampaignRow, device: Int64, _ cache: InAppTemplateCache) throws -> InAppDraft? {
        guard let draft = row.campaign.draft.inApp else { return nil }
        let schema = try attributes.schema(app: row.app)
        // Only of HTML it is asked.
        let allowsScripts = try draft.hasHTML && (apps.find(id: row.app)?.settings.allowsInAppScripts ?? false)
        let templates: InAppTemplates
        do throws(TemplateFaults) {
            templates = try cache.templates(of: row.id, draft, schema: schema, allowsScripts: allowsScripts)
        } catch {
            throw RenderFault(error)
        }
        guard let recipient = try recipients.find(device, app: row.app, values: templates.values) else { return nil }
        let variant = templates.variant(for: recipient.locale)
        var own = draft.variant(templates.key(of: variant))
        own.content = try templates.content(of: variant, values: recipient.values)
        return own
    }

    /// Notes in the ledger, and beside the message's figures, what a device is about to get: before it gets it (LED-1).
    func download(
        _ messages: [(campaign: CampaignID, version: Int, epoch: Int)], device: Int64, contact: Int64, now: Date
    ) throws {
        guard !messages.isEmpty else { return }
        try inAppCopies.save(
            messages.map {
                InAppDownload(
                    campaign: $0.campaign, device: device, contact: contact, version: $0.version, epoch: $0.epoch,
                    at: now
                )
            }
        )
        try deliveries.download(messages.map(\.campaign), device: device, contact: contact, now: now)
    }
}
