/// Whom a device is linked to (ID-1, ID-3).
public enum LinkTarget: Hashable, Sendable, Codable {
    case anonymous
    /// `field` names the contact field that holds the key, when the app uses another than the standard one.
    case known(key: String, field: String?)
    /// Whom a token of the identity provider proves; only the server knows their contact key.
    case openID(subject: StableDigest)

    /// Not anonymous.
    public var isKnown: Bool { self != .anonymous }
}

/// A link that is still to be made.
///
/// Contacts of a device are numbered in the order in which the app changed them. Events carry that number, so that they
/// keep their owner even when the link that names it to the server is made later (ID-4, ID-7).
public struct PendingLink: Hashable, Sendable, Codable {
    /// The contact's number on this device.
    public let owner: Int
    public let target: LinkTarget
    /// What proves an OpenID target, until the link is answered.
    public let proof: OpenIDProof?
    /// The number of the person who uses the device as this contact; nil is the first one.
    public let person: Int?

    public init(owner: Int, target: LinkTarget, proof: OpenIDProof? = nil, person: Int? = nil) {
        self.owner = owner
        self.target = target
        self.proof = proof
        self.person = person
    }

    /// The same link without its proof: what is kept of it once it is made.
    var made: PendingLink {
        PendingLink(owner: owner, target: target, person: person)
    }

    /// The same link without the key that names its contact: all that is kept of one who has left, until the next link
    /// is made (ID-4). A digest stands for the key, as it does for what a token proves.
    var forgotten: PendingLink {
        guard case .known = target else { return made }
        return PendingLink(owner: owner, target: .openID(subject: StableDigest(link: made)), person: person)
    }

    /// The same link, perhaps with another proof.
    func isSame(as other: PendingLink?) -> Bool {
        made == other?.made
    }
}

/// The pair that a link's answer brings; both are opaque.
public struct ContactTokens: Hashable, Sendable, Codable {
    public var contactToken: String
    public var refreshToken: String

    public init(contactToken: String, refreshToken: String) {
        self.contactToken = contactToken
        self.refreshToken = refreshToken
    }
}
