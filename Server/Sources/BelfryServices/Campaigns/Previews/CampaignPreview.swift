import BelfryModel
import BelfryServerModel
import BelfryStore

/// What one real recipient would see (CAMP-4).
package struct CampaignPreview: Hashable, Sendable {
    package let device: String
    /// What the device said.
    package let locale: String?
    /// The key of the variant that it gets; nil for the content itself.
    package let variant: String?
    /// With the recipient's own texts; nil when they cannot be made, or nothing is pushed.
    package var content: PushContent?
    /// What is kept in a message center for them; nil when it cannot be made, or nothing is kept.
    package var message: MessageCenterContent?
    /// What an in-app message says to them.
    package var inApp: InAppContent?
    /// The page of an in-app message, as a device shows it; nil when nothing is shown.
    package var page: String?
    /// Why there is nothing to see, in a sentence.
    package var problem: String?
}

extension BatchContext {
    /// What the campaign costs that one might not expect.
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

/// What some recipients would see. Each is made when it is asked for: in-app pages of many would be much to hold.
package struct CampaignPreviews: RandomAccessCollection, Sendable {
    /// What the campaign costs that one might not expect, in sentences.
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

    /// Whose preview it is, without making it.
    package func device(at position: Int) -> String { recipients[position].client.rawValue }

    package subscript(position: Int) -> CampaignPreview { make(recipients[position]) }
}
