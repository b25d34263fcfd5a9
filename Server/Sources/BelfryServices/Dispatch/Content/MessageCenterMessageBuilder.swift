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
        /// Whose it is, is known when it is stored.
        let message: KeptMessage?
        /// Whether its text has values of the contact in it.
        let isPersonal: Bool

        /// The message in the inbox of whoever has the device then.
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
    /// By variant; for a variant that differs by recipient, only the rich content.
    private var shared: [Int: Shared] = [:]

    init(_ load: BatchContext) {
        self.load = load
    }

    /// The shared contents of this round's messages.
    var contents: [Shared] { Array(shared.values) }

    /// The messages for some recipients; the verdicts are about those whose message cannot be rendered.
    mutating func kept(_ placements: some Collection<InboxWrite>) -> (kept: [Kept], verdicts: [DeliveryResult]) {
        var kept: [Kept] = []
        kept.reserveCapacity(placements.count)
        var verdicts: [DeliveryResult] = []
        for placement in placements {
            do {
                kept.append(try entry(for: placement))
            } catch let error as RenderError {
                verdicts.append(.unrenderable(placement.recipient, error))
            } catch {
                verdicts.append(.suppressed(placement.recipient, .renderError))
            }
        }
        return (kept, verdicts)
    }

    /// Without a message when there is none to store: the campaign has none, or none any more, the device has no contact,
    /// or it is already stored.
    private mutating func entry(for placement: InboxWrite) throws -> Kept {
        let recipient = placement.recipient
        guard let center = load.center, let contact = recipient.contact, !recipient.isPlaced, !load.isRecalled else {
            return Kept(placement: placement, message: nil, isPersonal: false)
        }
        // A campaign whose texts cannot be made for somebody reaches them neither way.
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

    /// For a variant that differs by recipient, only the rich content, unless that differs, too.
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
