import BelfryModel

/// What one real recipient would see (CAMP-4).
package struct CampaignPreview: Hashable, Sendable {
    package let device: String
    /// What the device said.
    package let locale: String?
    /// The key of the variant that it gets; nil for the content itself.
    package let variant: String?
    /// With the recipient's own texts; nil when they cannot be made.
    package let content: PushContent?
    /// Why there is nothing to see, in a sentence.
    package let problem: String?

    package init(
        device: String, locale: String?, variant: String? = nil, content: PushContent?, problem: String? = nil
    ) {
        self.device = device
        self.locale = locale
        self.variant = variant
        self.content = content
        self.problem = problem
    }
}
