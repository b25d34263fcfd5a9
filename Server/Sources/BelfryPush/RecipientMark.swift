import Crypto

/// The `to` of a payload: tells the device whose message it is (ID-4), and tells nobody else anything.
package enum RecipientMark {
    /// Characters.
    package static let length = 12

    /// - Parameter key: a secret of the server; with another key the same contact has another mark.
    package static func make(contactID: Int64, key: SymmetricKey) -> String {
        let bytes = withUnsafeBytes(of: contactID.bigEndian) { Array($0) }
        // 9 bytes: no padding, and two contacts of one device share a mark once in 2^72.
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(9))
    }
}
