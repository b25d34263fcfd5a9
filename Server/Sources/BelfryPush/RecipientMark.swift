import Crypto

/// The `to` of a payload: tells the device whose message it is (ID-4), and tells nobody else anything.
package enum RecipientMark {
    /// Characters.
    package static let length = 12

    /// - Parameter key: a secret of the server; with another key the same contact has another mark.
    package static func make(contactID: Int64, key: SymmetricKey) -> String {
        RecipientMarking(key: key).mark(of: contactID)
    }
}

/// Makes the marks of many contacts: the key is prepared once, which is half of the work.
package struct RecipientMarking: Sendable {
    private let prepared: KeyedSHA256

    package init(key: SymmetricKey) {
        prepared = KeyedSHA256(key: key)
    }

    package func mark(of contactID: Int64) -> String {
        let code = withUnsafeBytes(of: contactID.bigEndian) { prepared.code(of: $0) }
        // 9 bytes: no padding, and two contacts of one device share a mark once in 2^72.
        return code.withUnsafeBytes { Base64URL.encode(UnsafeRawBufferPointer(rebasing: $0[..<9])) }
    }
}
