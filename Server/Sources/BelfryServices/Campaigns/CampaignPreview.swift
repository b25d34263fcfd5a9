import BelfryModel

/// What one real recipient would see (CAMP-4).
package struct CampaignPreview: Hashable, Sendable {
    package let device: String
    /// What the device said.
    package let locale: String?
    /// The key of the variant that it gets; nil for the content itself.
    package let variant: String?
    /// With the recipient's own texts; nil when they cannot be made, or nothing is pushed.
    package var content: PushContent?
    /// What is kept in a message centre for them; nil when it cannot be made, or nothing is kept.
    package var message: MessageCenterContent?
    /// What an in-app message says to them.
    package var inApp: InAppContent?
    /// The page of an in-app message, as a device shows it; nil when nothing is shown.
    package var page: String?
    /// Why there is nothing to see, in a sentence.
    package var problem: String?
}
