import BelfryModel
import BelfryPush
import Crypto
import Foundation

/// The cookie of a session: random bytes and the server's MAC over them. An invented cookie is rejected without a
/// lookup in the store (SEC-12).
enum SessionToken {
    static let randomLength = 32
    private static let macLength = 16
    /// The length of the text. Both lengths together are a multiple of three, so that the bytes have only one text.
    private static let textLength = (randomLength + macLength) / 3 * 4

    /// - Parameter random: ``randomLength`` bytes.
    static func make(_ random: [UInt8], key: SymmetricKey) -> String {
        Base64URL.encode(random + mac(random, key))
    }

    /// Whether a server with this key made the token. It does not check whether the session is still active.
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

/// A token that proves that a form comes from a page of a session. It is derived from the cookie, which scripts cannot
/// read, and reveals nothing of it. It names the person, so that the contents of a form whose session has ended are
/// kept for nobody else (CON-3).
package enum FormToken {
    static func make(session token: String, user: Int64) -> String {
        let digest = SHA256.hash(data: Data("form:\(user):\(token)".utf8))
        return "\(user).\(Base64URL.encode(Array(digest)))"
    }

    /// The person that the token names. Nil for a text in another format. It proves nothing: only a comparison tells
    /// whether it is the token of the present session.
    package static func user(of text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 43 else { return nil }
        return WholeNumber.read(String(decoding: parts[0], as: UTF8.self))
    }
}
