import BelfryModel
import BelfryServerModel
import BelfryStore

/// A campaign as one real recipient would see it (CAMP-4).
package struct CampaignPreview: Hashable, Sendable {
    package let device: String
    /// The locale that the device reported.
    package let locale: String?
    /// The key of the variant that the device gets; nil for the default content.
    package let variant: String?
    /// The push with the recipient's own texts; nil if it cannot be rendered, or if nothing is pushed.
    package var content: PushContent?
    /// The message center message; nil if it cannot be rendered, or if no message is kept.
    package var message: MessageCenterContent?
    /// The in-app message's content for the recipient.
    package var inApp: InAppContent?
    /// The page of an in-app message as a device shows it; nil if nothing is shown.
    package var page: String?
    /// Why there is no preview, in a sentence.
    package var problem: String?
}

extension BatchContext {
    /// Sentences about costs of the campaign that one might not expect.
    var warnings: [String] {
        guard style == .silent, goesToBrowsers else { return [] }
        return [
            """
            Browsers end a subscription whose pushes show nothing, some after the first few. A device that is lost this way has \
            to be asked for its permission again.
            """
        ]
    }
}

/// A campaign as some recipients would see it. Each preview is made on access, because the in-app pages of many
/// recipients would use much memory.
package struct CampaignPreviews: RandomAccessCollection, Sendable {
    /// Sentences about costs of the campaign that one might not expect.
    package let warnings: [String]
    private let recipients: [Recipient]
    private let make: @Sendable (Recipient) -> CampaignPreview

    init(
        of recipients: [Recipient], warnings: [String] = [], _ make: @escaping @Sendable (Recipient) -> CampaignPreview
    ) {
        self.warnings = warnings
        self.recipients = recipients
        self.make = make
    }

    package var startIndex: Int { recipients.startIndex }
    package var endIndex: Int { recipients.endIndex }

    /// The device of the preview at this position, without making the preview.
    package func device(at position: Int) -> String { recipients[position].client.rawValue }

    package subscript(position: Int) -> CampaignPreview { make(recipients[position]) }
}
