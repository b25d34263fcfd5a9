import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore

extension BatchContext {
    /// The campaign as a recipient would see it: the push, and the message center message.
    func preview(_ recipient: Recipient) -> CampaignPreview {
        var preview = CampaignPreview(
            device: recipient.client.rawValue, locale: recipient.locale, variant: variantKey(for: recipient.locale)
        )
        guard !isPlacing || recipient.contact != nil else {
            preview.problem = "The device is not linked to a contact, so it cannot have messages."
            return preview
        }
        do throws(RenderError) {
            // If one of the two cannot be rendered, the recipient gets neither.
            let push = try previewedPush(recipient)
            preview.message = try previewedMessage(recipient)
            preview.content = push
        } catch {
            preview.problem = "\(error.field): \(error.sentence)"
        }
        return preview
    }

    private func previewedPush(_ recipient: Recipient) throws(RenderError) -> PushContent? {
        guard !isPlacing else { return nil }
        return try templates.preview(of: templates.variant(for: recipient.locale), values: recipient.values)
    }

    private func previewedMessage(_ recipient: Recipient) throws(RenderError) -> MessageCenterContent? {
        guard let center, recipient.contact != nil else { return nil }
        let variant = center.messages.variant(for: recipient.locale)
        var message = try center.messages.render(variant, values: recipient.values)
        message.center = center.center.rawValue
        return message
    }

    private func variantKey(for locale: String?) -> String? {
        guard isPlacing, let center else { return templates.key(of: templates.variant(for: locale)) }
        return center.messages.key(of: center.messages.variant(for: locale))
    }
}
