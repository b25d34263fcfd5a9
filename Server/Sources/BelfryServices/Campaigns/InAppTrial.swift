import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// An in-app campaign and some who would get it, before its launch or after (CAMP-4, CAMP-7).
struct InAppTrial: Sendable {
    let type: InAppType
    let templates: InAppTemplates
    let allowsScripts: Bool
    let recipients: [Recipient]

    /// What each of them would see: the very page that devices show (IAM-12).
    var previews: [CampaignPreview] { recipients.map(preview) }

    private func preview(_ recipient: Recipient) -> CampaignPreview {
        let variant = templates.variant(for: recipient.locale)
        let key = templates.key(of: variant)
        var preview = CampaignPreview(device: recipient.client.rawValue, locale: recipient.locale, variant: key)
        guard recipient.contact != nil else {
            preview.problem = "The device has no contact, and a message belongs to one."
            return preview
        }
        do throws(RenderFault) {
            let content = try templates.content(of: variant, values: recipient.values)
            preview.inApp = content
            guard type != .action else { return preview }
            let options = InAppPageOptions(bridge: .preview, language: key, allowsScripts: allowsScripts)
            preview.page = InAppPage.make(content, type: type, options: options)
        } catch {
            preview.problem = "\(error.field): \(error.sentence)"
        }
        return preview
    }
}

extension CampaignService {
    /// Who of the audience would download the message; nil for a campaign of another kind.
    func dryRunInApp(_ id: CampaignID, app: AppRecord, now: Date) async throws -> DryRun? {
        var run = DryRun()
        var last: Int64 = 0
        while true {
            let after = last
            let trial = try await database.read { connection in
                try connection.inAppTrial(of: id, app: app) { audience, values in
                    try connection.recipients.next(
                        after: after, app: app.id, audience: connection.audience(audience, app: app.id, now: now),
                        values: values, limit: CampaignService.scanSize
                    )
                }
            }
            guard let trial else { return nil }
            guard let newest = trial.recipients.last else { return run }
            run.take(trial)
            last = newest.device
        }
    }
}

extension DryRun {
    /// Whether pushes are allowed does not matter: devices fetch the message by themselves (IAM-3).
    fileprivate mutating func take(_ trial: InAppTrial) {
        for recipient in trial.recipients {
            if recipient.contact == nil {
                // It gets the message once it has a contact.
                add(.later, recipient, .noContact)
            } else if trial.templates.canRender(recipient) {
                add(.wouldSend, recipient)
            } else {
                add(.suppressed, recipient, .renderError)
            }
        }
    }
}

extension SQLConnection {
    /// Nil for a campaign of another kind.
    ///
    /// - Parameter recipients: reads them, by the audience and with what the templates ask for.
    func inAppTrial(
        of id: CampaignID, app: AppRecord, recipients: (Condition, [RecipientValue]) throws -> [Recipient]
    ) throws -> InAppTrial? {
        let draft = try campaign(id, app: app.id).campaign.draft
        guard draft.kind.isInApp else { return nil }
        // What the draft refers to may have changed since it was saved.
        guard let message = try checked(draft, app: app.id).inApp else { return nil }
        let allowsScripts = try apps.find(id: app.id)?.settings.allowsInAppScripts ?? false
        let templates: InAppTemplates
        do {
            templates = try InAppTemplates(
                message, schema: attributes.schema(app: app.id), allowsScripts: allowsScripts
            )
        } catch is TemplateFaults {
            throw ServiceError.conflict(message: "Campaign \(id) has no message that can be made for anybody.")
        }
        return InAppTrial(
            type: message.type, templates: templates,
            allowsScripts: allowsScripts,
            recipients: try recipients(draft.audience, templates.values)
        )
    }
}
