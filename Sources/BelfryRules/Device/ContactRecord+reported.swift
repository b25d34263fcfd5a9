import BelfryModel

extension ContactRecord {
    /// The record as it may be told: no push token while the operating system says no, or says that the person was
    /// never asked (REG-30).
    public var reported: ContactRecord {
        guard osPushEnabled == false || osPushIsUnasked else { return self }
        var record = self
        record.pushToken = nil
        return record
    }

    /// Names the contact. What the device holds for another known one is not passed on: its party identifier,
    /// attributes and tags go. What an anonymous contact left stays (ID-8).
    ///
    /// - Parameter wasProven: an OpenID token named the person before. Nobody here knows whether the key is theirs.
    /// - Returns: whether another person uses the device from now on.
    @discardableResult
    public mutating func setContactKey(_ key: ContactKey, wasProven: Bool = false) -> Bool {
        let isOther = wasProven || (contactKey != nil && contactKey != key)
        if isOther { purgePersonalData() }
        contactKey = key
        return isOther
    }

    /// An OpenID token names the contact, whose key only the server knows: the record has none (ID-3). What it holds
    /// for another known person goes, as with another key.
    ///
    /// - Parameter former: whom an OpenID token named before.
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

    /// Takes away everything that belongs to the person who logs out (ID-4).
    public mutating func purgePersonalData() {
        contactKey = nil
        partyIdentifier = nil
        attributes = [:]
        tags = []
    }
}
