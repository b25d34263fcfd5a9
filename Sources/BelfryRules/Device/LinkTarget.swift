import BelfryModel

/// The contact to which a device is linked (ID-1, ID-3).
public enum LinkTarget: Hashable, Sendable, Codable {
    case anonymous
    /// `field` names the contact field that holds the key, if it is not the standard one.
    case known(key: String, field: String?)
    /// A person whom a party identifier names (ID-9).
    case party(PartyIdentifier)
    /// A person whom a token of the identity provider proves; only the server knows their contact key.
    case openID(subject: StableDigest)

    /// Not anonymous.
    public var isKnown: Bool { self != .anonymous }
}

/// A link that is still to be made.
///
/// A device's contacts are numbered in the order in which the app set them. Events carry that number, so that they keep
/// their owner even if its link is made later (ID-4, ID-7).
public struct PendingLink: Hashable, Sendable, Codable {
    /// The contact's number on this device.
    public let owner: Int
    public let target: LinkTarget
    /// The proof of an OpenID target, until the server has responded to the link.
    public let proof: OpenIDProof?
    /// The number of the person who uses the device as this contact; nil is the first one.
    public let person: Int?
    /// From a silent push: by sending it back, a re-installed app takes its anonymous contact back (REG-23).
    public let nonce: String?

    public init(
        owner: Int, target: LinkTarget, proof: OpenIDProof? = nil, person: Int? = nil, nonce: String? = nil
    ) {
        self.owner = owner
        self.target = target
        self.proof = proof
        self.person = person
        self.nonce = nonce
    }

    /// The link without its proof and its nonce, in the form that is stored once it is made.
    var made: PendingLink {
        PendingLink(owner: owner, target: target, person: person)
    }

    /// The link without its contact key, as it is stored after the person has left, until the next link is made (ID-4).
    /// A digest replaces the key, as it does for the person whom a token proves.
    var forgotten: PendingLink {
        switch target {
        case .known, .party: break
        case .anonymous, .openID: return made
        }
        return PendingLink(owner: owner, target: .openID(subject: StableDigest(link: made)), person: person)
    }

    /// Whether it is the same link, even with another proof.
    func isSame(as other: PendingLink?) -> Bool {
        made == other?.made
    }
}

/// The token pair in the response to a link; both are opaque.
public struct ContactTokens: Hashable, Sendable, Codable {
    public var contactToken: String
    public var refreshToken: String

    public init(contactToken: String, refreshToken: String) {
        self.contactToken = contactToken
        self.refreshToken = refreshToken
    }
}
