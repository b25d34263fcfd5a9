extension WebPushSimulator {
    /// What the push service thinks of a subscription that it made.
    public enum SubscriptionState: String, Sendable, Codable, CaseIterable {
        /// Pushes from its application server are accepted.
        case valid
        /// 410: the person or the browser ended it.
        case unsubscribed
        /// 404: it expired.
        case expired
    }

    /// How urgent a push is (RFC 8030 §5.3).
    public enum Urgency: String, Sendable, Codable, CaseIterable {
        /// On power and Wi-Fi.
        case veryLow = "very-low"
        /// On either power or Wi-Fi.
        case low
        /// On neither; what goes without `Urgency`.
        case normal
        /// With little battery.
        case high
    }
}
