import BelfryCampaigns
import BelfryInAppRenderer
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// An in-app campaign and some of its recipients, before its launch or after (CAMP-4, CAMP-7).
struct InAppPreview: Sendable {
    let type: InAppType
    var templates: InAppTemplates
    let allowsScripts: Bool
    let audience: Condition
    var recipients: [Recipient] = []

    /// A preview without recipients; nil if the message cannot be compiled.
    ///
    /// - Parameter texts: compiles with the app's attributes.
    init?(_ message: InAppDraft, audience: Condition, allowsScripts: Bool, texts: TextCompiler) {
        guard let templates = try? InAppTemplates(message, allowsScripts: allowsScripts, texts: texts) else {
            return nil
        }
        type = message.type
        self.templates = templates
        self.allowsScripts = allowsScripts
        self.audience = audience
    }

    /// The message as each recipient would see it: the same page that devices show (IAM-12).
    var previews: CampaignPreviews { CampaignPreviews(of: recipients, preview) }

    private func preview(_ recipient: Recipient) -> CampaignPreview {
        let variant = templates.variant(for: recipient.locale)
        let key = templates.key(of: variant)
        var preview = CampaignPreview(device: recipient.client.rawValue, locale: recipient.locale, variant: key)
        guard recipient.contact != nil else {
            preview.problem = "The device is not linked to a contact, so it cannot have messages."
            return preview
        }
        do throws(RenderError) {
            let content = try templates.render(variant, values: recipient.values)
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

extension DryRun {
    /// Adds the recipients. The push permission does not matter, because devices fetch the message themselves (IAM-3).
    mutating func take(_ preview: InAppPreview) {
        for recipient in preview.recipients {
            if recipient.contact == nil {
                // The device gets the message once it has a contact.
                add(.later, recipient, .noContact)
            } else if preview.templates.canRender(recipient) {
                add(.wouldSend, recipient)
            } else {
                add(.suppressed, recipient, .renderError)
            }
        }
    }
}
