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
