import BelfryModel

extension ContactRecord {
    /// The record as it may be told: no push token while the operating system says no (REG-30).
    public var reported: ContactRecord {
        guard osPushEnabled == false else { return self }
        var record = self
        record.pushToken = nil
        return record
    }

    /// Names the contact. What the device holds for another known one is not passed on: its party identifier,
    /// attributes and tags go. What an anonymous contact left stays (ID-8).
    public mutating func setContactKey(_ key: ContactKey) {
        if let contactKey, contactKey != key { purgePersonalData() }
        contactKey = key
    }

    /// Takes away everything that belongs to the person who logs out (ID-4).
    public mutating func purgePersonalData() {
        contactKey = nil
        partyIdentifier = nil
        attributes = [:]
        tags = []
    }
}
