/// What an operator sets per app (ADM-2). An absent setting has its default: see the properties below.
public struct AppSettings: Hashable, Sendable, Codable {
    /// The highest badge when the operator names none.
    public static let standardMaximumBadge = 99
    public static let standardTimeZone = "UTC"

    /// Whether a device may be linked to a contact that nobody has named (WIRE-3).
    public var anonymousContacts: Bool?
    /// What sets a known contact (ID-3).
    public var identity: IdentityMode?
    /// The identity provider whose tokens prove contacts; absent: no token is taken.
    public var openID: OpenIDSettings?
    /// Contact fields that may link; absent: any.
    public var contactFields: [String]?
    /// The highest number that a badge shows (BADGE-1).
    public var maxBadgeCount: Int?
    /// Origins of the web pages that may call the device API (WIRE-24); absent: none.
    public var allowedOrigins: [String]?
    /// IANA name of the zone of dates that are written without an offset.
    public var timeZone: String?
    /// Days for which events are kept; absent: they are kept for good.
    public var eventRetentionDays: Int?
    /// Whether in-app messages may carry script of the marketer's (IAM-12); absent: it is refused when saved.
    public var inAppScripts: Bool?

    public init() {}
}

/// What sets a known contact (ID-3).
public enum IdentityMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Whoever states a contact key becomes that contact: the key must be unguessable.
    case open
    /// Only a token of the app's identity provider does.
    case verified
}

extension AppSettings {
    public var allowsAnonymousContacts: Bool { anonymousContacts ?? true }
    public var identityMode: IdentityMode { identity ?? .open }
    public var maximumBadge: Int { maxBadgeCount ?? Self.standardMaximumBadge }
    public var allowsInAppScripts: Bool { inAppScripts ?? false }
    public var origins: [String] { allowedOrigins ?? [] }
    public var timeZoneName: String { timeZone ?? Self.standardTimeZone }
}
