/// The number on an app's icon on one device, and how often it was changed (BADGE-5).
///
/// Server and device send each other the number itself. Of two numbers, the one with the higher revision is valid, so a
/// lost or late message cannot make them differ for long.
public struct Badge: Hashable, Sendable, Codable {
    /// The badge of a device before any change.
    public static let none = Badge(count: 0, revision: 0)

    public var count: Int
    public var revision: Int64

    public init(count: Int, revision: Int64) {
        self.count = count
        self.revision = revision
    }

    /// The same revision with a number of at most the maximum. The lowered number replaces the higher one.
    ///
    /// - Parameter maximum: the app's setting `maximumBadge`.
    public func atMost(_ maximum: Int) -> Badge {
        Badge(count: BadgeChange.clamped(count, maximum: maximum), revision: revision)
    }
}
