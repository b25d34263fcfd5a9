import BelfryPush

/// `contactReference` (ID-7): names a contact to the installation that was linked to it, and to no other (SEC-10). It
/// begins with the contact's recipient mark, by which the device knows whose a push is (ID-4).
struct ContactReference: Hashable, Sendable {
    private static let separator = UInt8(ascii: ".")
    private static let maximumLength = 256

    let contact: Int64
    let epoch: Int64

    func signed(for device: Int64, with keys: ServerKeys) -> String {
        let mark = RecipientTag.make(contactID: contact, key: keys.recipientMark)
        return mark + "."
            + SignedValue.make([contact], epoch: epoch, for: Self.subject(device), key: keys.contactReference)
    }

    init(contact: Int64, epoch: Int64) {
        self.contact = contact
        self.epoch = epoch
    }

    /// Older references have no recipient mark and no separator. The mark is not signed, so the length is limited:
    /// devices remember whole references.
    init?(_ text: String?, for device: Int64, with keys: ServerKeys) {
        guard let text, text.utf8.count <= Self.maximumLength else { return nil }
        let signed = text.utf8.lastIndex(of: Self.separator).map { String(text[text.utf8.index(after: $0)...]) } ?? text
        guard
            let (numbers, epoch) = SignedValue.read(
                signed, count: 1, withEpochFor: Self.subject(device), key: keys.contactReference
            ), numbers[0] > 0
        else { return nil }
        self.init(contact: numbers[0], epoch: epoch)
    }

    private static func subject(_ device: Int64) -> String { "device:\(device)" }
}
