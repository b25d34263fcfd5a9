import BelfryModel
import BelfryPush
import Crypto
import Foundation

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
