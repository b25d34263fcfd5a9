import BelfryModel

/// `POST /client/contact` (WIRE-2). The anonymous form (WIRE-3) has no body.
public struct ContactLinkRequest: Hashable, Sendable, Codable {
    /// The field of the value, as a number (v3) or a name.
    public var contactFieldId: FieldID?
    public var contactFieldValue: String?
    public var openIdToken: String?
    public var partyIdentifier: PartyIdentifier?
    /// From a silent push: this installation receives what is sent to the push token of the one whose anonymous contact it
    /// takes over (REG-23).
    public var nonce: String?

    public init(
        contactFieldId: FieldID? = nil, contactFieldValue: String? = nil, openIdToken: String? = nil,
        partyIdentifier: PartyIdentifier? = nil, nonce: String? = nil
    ) {
        self.contactFieldId = contactFieldId
        self.contactFieldValue = contactFieldValue
        self.openIdToken = openIdToken
        self.partyIdentifier = partyIdentifier
        self.nonce = nonce
    }

    public typealias FieldID = ContactFieldID
}

/// The response to a link: a token pair and the opaque reference of the contact (WIRE-2, ID-7).
public struct ContactLinkResponse: Hashable, Sendable, Codable {
    public var contactToken: String
    public var refreshToken: String
    public var contactReference: String

    public init(contactToken: String, refreshToken: String, contactReference: String) {
        self.contactToken = contactToken
        self.refreshToken = refreshToken
        self.contactReference = contactReference
    }
}

/// `POST /client/contact-token` (WIRE-4).
public struct ContactTokenRequest: Hashable, Sendable, Codable {
    public var refreshToken: String

    public init(refreshToken: String) {
        self.refreshToken = refreshToken
    }
}

public struct ContactTokenResponse: Hashable, Sendable, Codable {
    public var contactToken: String

    public init(contactToken: String) {
        self.contactToken = contactToken
    }
}
