import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Makes the messages that a round keeps in a message centre. What is alike for many is made once.
struct CenterKeeping {
    /// A recipient with the message that is kept for them, if there is one to keep.
    struct Kept: Sendable {
        let placement: Placement
        let message: KeptMessage?
    }

    /// What all recipients of a variant read.
    struct Shared: Sendable {
        let variant: String?
        let body: String
        let richHTML: String?
    }

    let load: RoundLoad
    /// By variant: of one that differs by recipient, the rich content alone.
    private var shared: [Int: Shared] = [:]

    init(_ load: RoundLoad) {
        self.load = load
    }

    /// What is the same for all to whom a message of this round was made.
    var contents: [Shared] { Array(shared.values) }

    /// The messages for some recipients; the verdicts are about those for whom none can be made.
    mutating func kept(_ placements: some Collection<Placement>) -> (kept: [Kept], verdicts: [Verdict]) {
        var kept: [Kept] = []
        kept.reserveCapacity(placements.count)
        var verdicts: [Verdict] = []
        for placement in placements {
            do {
                kept.append(Kept(placement: placement, message: try message(placement)))
            } catch let fault as RenderFault {
                verdicts.append(.unrenderable(placement.recipient, fault))
            } catch {
                verdicts.append(.suppressed(placement.recipient, .renderError))
            }
        }
        return (kept, verdicts)
    }

    /// Nil where nothing is to be kept: the campaign keeps nothing, nobody is there to keep it for, or it lies there.
    private mutating func message(_ placement: Placement) throws -> KeptMessage? {
        let recipient = placement.recipient
        guard let center = load.center, let contact = recipient.contact, !load.placed.contains(recipient.device) else {
            return nil
        }
        let variant = center.variant(for: recipient.locale)
        var own: MessageCenterContent?
        if center.isTemplated(variant) {
            own = try center.content(of: variant, values: recipient.values)
        }
        if shared[variant] == nil {
            shared[variant] = try sharedContent(of: variant, in: center, values: recipient.values)
        }
        return KeptMessage(
            contact: contact, center: center.center, sentAt: placement.timing.start, campaign: load.row.id,
            app: load.row.app, variant: center.key(of: variant), expiresAt: center.expiresAt,
            body: try own.map { try CenterBodyText.make($0) },
            richHTML: center.makesRichContent(variant) ? own?.richHtml : nil
        )
    }

    /// Of a variant that differs by recipient only the rich content, unless that differs, too.
    private func sharedContent(
        of variant: Int, in center: CenterTemplates, values: [String?]
    ) throws -> Shared {
        let content = try center.content(of: variant, values: values)
        return Shared(
            variant: center.key(of: variant), body: center.isTemplated(variant) ? "" : try CenterBodyText.make(content),
            richHTML: center.makesRichContent(variant) ? nil : content.richHtml
        )
    }
}
