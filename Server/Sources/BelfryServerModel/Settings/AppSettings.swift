import BelfryModel

/// What an operator sets per app (ADM-2). An absent setting has its default: see the properties below.
package struct AppSettings: Hashable, Sendable, Codable {
    /// The highest badge when the operator names none.
    package static let standardMaximumBadge = 99
    package static let standardTimeZone = "UTC"
    /// Days after which a dead device becomes dormant when the operator names none.
    package static let standardDormantAfterDays = 400

    /// Whether a device may be linked to a contact that nobody has named (WIRE-3).
    package var anonymousContacts: Bool?
    /// What sets a known contact (ID-3).
    package var identity: IdentityMode?
    /// The identity provider whose tokens prove contacts; absent: no token is taken.
    package var openID: OpenIDSettings?
    /// Contact fields that may link; absent: any.
    package var contactFields: [String]?
    /// The app's own contact field, whose value is the plain contact key; every other field is a name space of its own
    /// (ID-3). Absent: the value alone is the contact key, whatever the field.
    package var contactField: String?
    /// The highest number that a badge shows (BADGE-1).
    package var maxBadgeCount: Int?
    /// Origins of the web pages that may call the device API (WIRE-24); absent: none.
    package var allowedOrigins: [String]?
    /// IANA name of the zone of dates that are written without an offset.
    package var timeZone: String?
    /// Days to keep events; absent: they are kept for good.
    package var eventRetentionDays: Int?
    /// Days for which the ledger of a campaign is kept once that has ended (LED-3); absent: it is kept for good.
    package var deliveryRetentionDays: Int?
    /// Days without an opening, a change or a call after which a device that gets no push becomes dormant (FLEET-2).
    package var dormantAfterDays: Int?
    /// Whether in-app messages may carry script of the marketer's (IAM-12); absent: it is refused when saved.
    package var inAppScripts: Bool?
    /// Whether a second person approves campaigns before their launch (CON-5); absent: nobody is asked.
    package var requiresApproval: Bool?

    package init() {}
}

/// What sets a known contact (ID-3).
package enum IdentityMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Whoever states a contact key becomes that contact: the key must be unguessable.
    case open
    /// Only a token of the app's identity provider does.
    case verified
}

extension AppSettings {
    package var allowsAnonymousContacts: Bool { anonymousContacts ?? true }
    package var identityMode: IdentityMode { identity ?? .open }
    package var maximumBadge: Int { maxBadgeCount ?? Self.standardMaximumBadge }
    package var allowsInAppScripts: Bool { inAppScripts ?? false }
    package var asksForApproval: Bool { requiresApproval ?? false }
    package var origins: [String] { allowedOrigins ?? [] }
    package var timeZoneName: String { timeZone ?? Self.standardTimeZone }
    package var dormancyDays: Int { dormantAfterDays ?? Self.standardDormantAfterDays }
}
