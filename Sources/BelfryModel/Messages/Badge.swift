/// The number on an app's icon, on one device, and how often it has been changed (BADGE-5).
///
/// Server and device tell each other the number itself, and of two numbers the one with the greater revision counts: so
/// a lost or late message cannot make them differ for long.
public struct Badge: Hashable, Sendable, Codable {
    /// What a device has before anybody has changed it.
    public static let none = Badge(count: 0, revision: 0)

    public var count: Int
    public var revision: Int64

    public init(count: Int, revision: Int64) {
        self.count = count
        self.revision = revision
    }

    /// The same change, shown as no more than the maximum: one that was lowered counts for what was there before.
    ///
    /// - Parameter maximum: the app's setting `maximumBadge`.
    public func atMost(_ maximum: Int) -> Badge {
        Badge(count: BadgeChange.clamped(count, maximum: maximum), revision: revision)
    }
}
