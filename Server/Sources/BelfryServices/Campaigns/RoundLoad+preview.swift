import BelfryModel
import BelfryRules
import BelfryStore

extension RoundLoad {
    /// What a recipient would see of the campaign: the push, and what is kept for them in a message centre.
    func preview(_ recipient: Recipient) -> CampaignPreview {
        var preview = CampaignPreview(
            device: recipient.client.rawValue, locale: recipient.locale, variant: variantKey(for: recipient.locale)
        )
        guard !isPlacing || recipient.contact != nil else {
            preview.problem = "The device has no contact, and a message belongs to one."
            return preview
        }
        do throws(RenderFault) {
            // Where one of the two cannot be made, the recipient gets neither.
            let push = try previewedPush(recipient)
            preview.message = try previewedMessage(recipient)
            preview.content = push
        } catch {
            preview.problem = "\(error.field): \(error.sentence)"
        }
        return preview
    }

    private func previewedPush(_ recipient: Recipient) throws(RenderFault) -> PushContent? {
        guard !isPlacing else { return nil }
        return try templates.preview(of: templates.variant(for: recipient.locale), values: recipient.values)
    }

    private func previewedMessage(_ recipient: Recipient) throws(RenderFault) -> MessageCenterContent? {
        guard let center, recipient.contact != nil else { return nil }
        var message = try center.content(of: center.variant(for: recipient.locale), values: recipient.values)
        message.center = center.center.rawValue
        return message
    }

    private func variantKey(for locale: String?) -> String? {
        guard isPlacing, let center else { return templates.key(of: templates.variant(for: locale)) }
        return center.key(of: center.variant(for: locale))
    }
}
