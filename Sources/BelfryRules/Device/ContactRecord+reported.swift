import BelfryModel

extension ContactRecord {
    /// The record as it may be sent: no push token while the operating system denies permission, or says that the
    /// person was never asked (REG-30).
    public var reported: ContactRecord {
        guard osPushEnabled == false || osPushIsUnasked else { return self }
        var record = self
        record.pushToken = nil
        return record
    }

    /// Sets the contact key. If another known contact was set before, its party identifier, attributes and tags are
    /// removed. Those of an anonymous contact stay (ID-8).
    ///
    /// - Parameter wasProven: an OpenID token identified the person before, so it is unknown whether the key is theirs.
    /// - Returns: whether another person uses the device from now on.
    @discardableResult
    public mutating func setContactKey(_ key: ContactKey, wasProven: Bool = false) -> Bool {
        let isOther = wasProven || (contactKey != nil && contactKey != key)
        if isOther { purgePersonalData() }
        contactKey = key
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
        partyIdentifier = nil
        attributes = [:]
        tags = []
    }
}
