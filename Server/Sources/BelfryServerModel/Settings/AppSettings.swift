import BelfryModel

/// An operator's settings of an app (ADM-2). An absent setting has its default, which is described with each property.
package struct AppSettings: Hashable, Sendable, Codable {
    /// The highest badge, unless the operator sets one.
    package static let standardMaximumBadge = 99
    package static let standardTimeZone = "UTC"
    /// Days after which a dead device becomes dormant, unless the operator sets them.
    package static let standardDormantAfterDays = 400

    /// Whether a device may be linked to an anonymous contact (WIRE-3).
    package var anonymousContacts: Bool?
    /// The proof that a device needs to be linked to a known contact (ID-3).
    package var identity: IdentityMode?
    /// The identity provider whose tokens prove contacts. Absent: no token is accepted.
    package var openID: OpenIDSettings?
    /// The contact fields with which devices may link. Absent: any.
    package var contactFields: [String]?
    /// The app's own contact field, whose value is the plain contact key. Every other field is a name space of its own
    /// (ID-3). Absent: the value alone is the contact key, whatever the field is.
    package var contactField: String?
    /// The highest number that a badge shows (BADGE-1).
    package var maxBadgeCount: Int?
    /// Origins of the web pages that may call the device API (WIRE-24). Absent: none.
    package var allowedOrigins: [String]?
    /// The IANA name of the time zone for dates without an offset.
    package var timeZone: String?
    /// Days to keep events; absent: they are kept for good.
    package var eventRetentionDays: Int?
    /// Days for which a campaign's ledger is kept after its end (LED-3). Absent: for good.
    package var deliveryRetentionDays: Int?
    /// Days without an opening, a change or a call after which a device that gets no push becomes dormant (FLEET-2).
    package var dormantAfterDays: Int?
    /// Whether in-app messages may contain the marketer's script (IAM-12). Absent: such a message cannot be saved.
    package var inAppScripts: Bool?
    /// Whether a second person must approve campaigns before their launch (CON-5). Absent: no.
    package var requiresApproval: Bool?

    package init() {}
}

/// The proof that a device needs to be linked to a known contact (ID-3).
package enum IdentityMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// A contact key that a device states is enough, so keys must be unguessable.
    case open
    /// Only a token of the app's identity provider.
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
