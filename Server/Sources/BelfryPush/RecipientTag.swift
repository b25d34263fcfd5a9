import Crypto

/// The `to` of a payload: it tells the device whose message it is (ID-4), and tells nobody else anything.
package enum RecipientTag {
    /// The length in characters.
    package static let length = 12

    /// - Parameter key: a secret of the server. With another key, the same contact has another tag.
    package static func make(contactID: Int64, key: SymmetricKey) -> String {
        RecipientTagger(key: key).mark(of: contactID)
    }
}

/// Makes the tags of many contacts. The key is prepared once, which is half of the work.
package struct RecipientTagger: Sendable {
    private let prepared: KeyedSHA256

    package init(key: SymmetricKey) {
        prepared = KeyedSHA256(key: key)
    }

    package func mark(of contactID: Int64) -> String {
        let code = withUnsafeBytes(of: contactID.bigEndian) { prepared.code(of: $0) }
        // 9 bytes need no padding, and two contacts of one device have the same tag with a probability of 1 in 2^72.
        return code.withUnsafeBytes { Base64URL.encode(UnsafeRawBufferPointer(rebasing: $0[..<9])) }
    }
}

/// HMAC-SHA256 (RFC 2104) of many short messages under one key, for which both hashes are prepared.
///
/// The hashes are the library's. Its own HMAC looks up types at run time for each message, which takes longer than the
/// hashing, and a campaign computes a code for each recipient.
struct KeyedSHA256: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    init(key: SymmetricKey) {
        let block = key.withUnsafeBytes { key in
            let short = key.count > SHA256.blockByteCount ? Array(SHA256.hash(data: Array(key))) : Array(key)
            return short + repeatElement(0, count: SHA256.blockByteCount - short.count)
        }
        inner = Self.begun(with: block.map { $0 ^ 0x36 })
        outer = Self.begun(with: block.map { $0 ^ 0x5c })
    }

    func code(of message: UnsafeRawBufferPointer) -> SHA256.Digest {
        var (inner, outer) = (inner, outer)
        inner.update(bufferPointer: message)
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }

    private static func begun(with block: [UInt8]) -> SHA256 {
        var hash = SHA256()
        block.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash
    }
}
