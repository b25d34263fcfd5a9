import BelfryModel

extension ContactRecord {
    /// Sets the contact key. If another known contact was set before, its party identifier, attributes and tags are
    /// removed. Those of an anonymous contact stay (ID-8).
    ///
    /// - Parameters:
    ///   - field: its field, if the app named one. Equal values of two fields are two people (ID-3); a key without a field
    ///     repeats the same key with one.
    ///   - standard: the configured field, if there is one: that of a key without a field.
    ///   - wasProven: an OpenID token identified the person before, so it is unknown whether the key is theirs.
    /// - Returns: whether another person uses the device from now on.
    @discardableResult
    public mutating func setContactKey(
        _ key: ContactKey, field: String? = nil, standard: String? = nil, wasProven: Bool = false
    ) -> Bool {
        let isOtherKey = contactKey != nil && contactKey != key
        let isOtherField = contactKey != nil && isOther(field: field, standard: standard)
        let isOther = wasProven || isNamedByParty || isOtherKey || isOtherField
        if isOther { purgePersonalData() }
        if let named = field ?? standard {
            contactField = named == standard ? nil : named
        } else if contactKey != key {
            contactField = nil
        }
        contactKey = key
        return isOther
    }

    /// Whether a key is of another field than the present one.
    public func isOther(field: String?, standard: String?) -> Bool {
        guard let present = contactField ?? standard, let field = field ?? standard else { return false }
        return present != field
    }

    /// A party identifier identifies the contact (ID-9); the record then has no contact key. Data of another known
    /// person is removed, as with another key.
    ///
    /// - Parameter wasProven: an OpenID token identified the person before.
    /// - Returns: whether another person uses the device from now on.
    @discardableResult
    public mutating func setNaming(_ party: PartyIdentifier, wasProven: Bool = false) -> Bool {
        let isOther = wasProven || contactKey != nil || (isNamedByParty && partyIdentifier != party)
        if isOther { purgePersonalData() }
        partyIdentifier = party
        isNamedByParty = true
        return isOther
    }

    /// An OpenID token identifies the contact, whose key only the server knows, so the record has none (ID-3). Data of
    /// another known person is removed, as with another key.
    ///
    /// - Parameter former: the subject of the previous OpenID token.
    /// - Returns: whether another person uses the device from now on.
    @discardableResult
    public mutating func setProven(by proof: OpenIDProof, former: StableDigest?) -> Bool {
        let isOther: Bool
        if let former {
            isOther = former != proof.subject
        } else if contactField != nil || isNamedByParty {
            isOther = true
        } else {
            isOther = contactKey != nil && contactKey != proof.contactKey
        }
        if isOther { purgePersonalData() }
        contactKey = nil
        return isOther
    }

    /// Removes everything that belongs to the person who logs out (ID-4).
    public mutating func purgePersonalData() {
        contactKey = nil
        contactField = nil
        partyIdentifier = nil
        isNamedByParty = false
        attributes = [:]
        tags = []
    }
}
