import BelfryModel
import Foundation

/// The token that identifies the sender to FCM for an hour (RFC 6749 §5.1).
package struct AccessToken: Hashable, Sendable {
    /// The maximum length in bytes. Google's tokens have about 1,000, and Google reserves up to 2,048.
    package static let maximumLength = 8_192
    /// The remaining lifetime in seconds that a token must have to be used.
    package static let margin: TimeInterval = 5 * 60
    /// The lifetime in seconds of a token whose response gives none; all of Google's responses give it.
    private static let standardLifetime: TimeInterval = 3_600
    private static let maximumLifetime: TimeInterval = 86_400

    package let text: String
    package let issuedAt: Date
    package let expiresAt: Date

    /// Whether the token may still be used; if not, a new one is needed. A token that is valid for less than ten
    /// minutes is renewed after half its time.
    package func serves(at now: Date) -> Bool {
        let lifetime = expiresAt.timeIntervalSince(issuedAt)
        // The token's time of issue is in the future, so the clock was set back, and its true age is unknown.
        guard now >= issuedAt.addingTimeInterval(-Self.margin) else { return false }
        return expiresAt.timeIntervalSince(now) >= min(Self.margin, lifetime / 2)
    }

    /// Reads the response of the token address.
    package static func read(status: Int, body: [UInt8], now: Date) throws(AccessTokenError) -> AccessToken {
        guard status == 200 else { throw AccessTokenError(status: status, body: body) }
        guard let response = try? CheckedJSON.decode(ResponseBody.self, from: body), isToken(response.token) else {
            throw .unavailable(reason: "unreadableAccessToken")
        }
        let lifetime = min(max(response.lifetime ?? standardLifetime, 1), maximumLifetime)
        return AccessToken(text: response.token, issuedAt: now, expiresAt: now.addingTimeInterval(lifetime))
    }

    /// Whether the text can be sent in a header (RFC 6750 §2.1, but more permissive).
    private static func isToken(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private struct ResponseBody: Decodable {
        private enum Key: String, CodingKey {
            case token = "access_token"
            case lifetime = "expires_in"
        }

        let token: String
        let lifetime: TimeInterval?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            token = try container.decode(String.self, forKey: .token)
            let seconds = try? container.decode(Double.self, forKey: .lifetime)
            lifetime = seconds.flatMap { $0.isFinite ? $0 : nil }
        }
    }
}

extension AccessToken: CustomStringConvertible {
    /// A description without the token (SEC-3).
    package var description: String { "access token until \(expiresAt)" }
}

/// A `POST` of a form that requests an access token.
package struct AccessTokenRequest: Sendable {
    package static let contentType = "application/x-www-form-urlencoded"

    package let uri: TokenURI
    /// The form. It contains the signed assertion, which is a secret for an hour.
    package let body: [UInt8]

    /// - Parameter assertion: a JSON Web Token, whose characters a form needs not escape.
    init(uri: TokenURI, assertion: String) {
        self.uri = uri
        body = Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}

extension AccessTokenRequest: CustomStringConvertible {
    /// A description without the assertion (SEC-3).
    package var description: String { "access token request to \(uri)" }
}
