import BelfryModel
import BelfryPush
import Crypto
import Foundation

/// The cookie of a session: random bytes, and a MAC of this server over them. Whoever invents a cookie does not get as far
/// as the store (SEC-12).
enum SessionToken {
    static let randomLength = 32
    private static let macLength = 16
    /// Of the text; both lengths together are a multiple of three, so that there is one text for the bytes.
    private static let textLength = (randomLength + macLength) / 3 * 4

    /// - Parameter random: ``randomLength`` bytes.
    static func make(_ random: [UInt8], key: SymmetricKey) -> String {
        Base64URL.encode(random + mac(random, key))
    }

    /// Whether a server with this key made it; not whether its session goes on.
    static func isGenuine(_ token: String, key: SymmetricKey) -> Bool {
        guard token.utf8.count == textLength, let bytes = Base64URL.decode(token),
            bytes.count == randomLength + macLength
        else { return false }
        return constantTimeEqual(mac(Array(bytes.prefix(randomLength)), key), Array(bytes.suffix(macLength)))
    }

    private static func mac(_ random: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(random), using: key).prefix(macLength))
    }
}

/// Proves that a form comes from a page of a session: it is made of the cookie, which scripts cannot read, and tells
/// nothing of it. It names the person, so that a form whose session has ended is kept for nobody else (CON-3).
package enum FormToken {
    static func make(session token: String, user: Int64) -> String {
        let digest = SHA256.hash(data: Data("form:\(user):\(token)".utf8))
        return "\(user).\(Base64URL.encode(Array(digest)))"
    }

    /// For whose page it says that it was made; nil for what is no such token. That proves nothing: whether it is a token
    /// of the present session only a comparison tells.
    package static func user(of text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 43 else { return nil }
        return WholeNumber.read(String(decoding: parts[0], as: UTF8.self))
    }
}
