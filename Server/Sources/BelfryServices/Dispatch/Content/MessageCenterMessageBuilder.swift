import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Builds the message center messages of a round. Content that many recipients share is built once.
struct MessageCenterMessageBuilder {
    /// A recipient with the message that is stored for them, if any.
    struct Kept: Sendable {
        let placement: InboxWrite
        /// The message; its holder is set when it is stored.
        let message: KeptMessage?
        /// Whether the message's text contains values of the contact.
        let isPersonal: Bool

        /// The message, addressed to the holder that has the device when it is stored.
        func message(in holder: MessageHolder) -> KeptMessage? {
            guard var message else { return nil }
            message.contact = holder.number
            if case .installation = holder, isPersonal { message.madeFrom = placement.recipient.contact }
            return message
        }
    }

    /// The content that all recipients of a variant share.
    struct Shared: Sendable {
        let variant: String?
        let body: String
        let richHTML: String?
    }

    let load: BatchContext
    /// The shared contents by variant; for a variant that differs by recipient, only the rich content.
    private var shared: [Int: Shared] = [:]

    init(_ load: BatchContext) {
        self.load = load
    }

    /// The shared contents of this round's messages.
    var contents: [Shared] { Array(shared.values) }

    /// The messages for some recipients; the results are for recipients whose message cannot be rendered.
    mutating func kept(_ placements: some Collection<InboxWrite>) -> (kept: [Kept], results: [DeliveryResult]) {
        var kept: [Kept] = []
        kept.reserveCapacity(placements.count)
        var results: [DeliveryResult] = []
        for placement in placements {
            do {
                kept.append(try entry(for: placement))
            } catch let error as RenderError {
                results.append(.unrenderable(placement.recipient, error))
            } catch {
                results.append(.suppressed(placement.recipient, .renderError))
            }
        }
        return (kept, results)
    }

    /// The recipient's entry. It has no message if there is none to store: the campaign has none or its messages were
    /// recalled, the device has no contact, or the message is already stored.
    private mutating func entry(for placement: InboxWrite) throws -> Kept {
        let recipient = placement.recipient
        guard let center = load.center, let contact = recipient.contact, !recipient.isPlaced, !load.isRecalled else {
            return Kept(placement: placement, message: nil, isPersonal: false)
        }
        // A recipient for whom the push cannot be rendered gets no message either.
        if !load.isPlacing {
            _ = try load.templates.render(
                load.templates.variant(for: recipient.locale), values: recipient.values
            )
        }
        let templates = center.messages
        let variant = templates.variant(for: recipient.locale)
        var own: MessageCenterContent?
        if templates.isTemplated(variant) {
            own = try templates.render(variant, values: recipient.values)
        }
        if shared[variant] == nil {
            shared[variant] = try sharedContent(of: variant, in: templates, values: recipient.values)
        }
        let message = KeptMessage(
            contact: contact, center: center.center, sentAt: placement.timing.start, campaign: load.row.id,
            app: load.row.app, variant: templates.key(of: variant), expiresAt: center.expiresAt,
            body: try own.map { try MessageCenterBodyText.make($0) },
            richHTML: templates.makesRichContent(variant) ? own?.richHtml : nil
        )
        return Kept(placement: placement, message: message, isPersonal: templates.isPersonal(variant))
    }

    /// The content of a variant that recipients share. For a variant that differs by recipient that is only the rich
    /// content, if it does not differ as well.
    private func sharedContent(
        of variant: Int, in templates: VariantTemplates<MessageCenterTemplate>, values: [String?]
    ) throws -> Shared {
        let content = try templates.render(variant, values: values)
        return Shared(
            variant: templates.key(of: variant),
            body: templates.isTemplated(variant) ? "" : try MessageCenterBodyText.make(content),
            richHTML: templates.makesRichContent(variant) ? nil : content.richHtml
        )
    }
}
