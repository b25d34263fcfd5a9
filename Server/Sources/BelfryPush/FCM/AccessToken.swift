import BelfryModel
import Foundation

/// What FCM knows the sender by for an hour (RFC 6749 §5.1).
package struct AccessToken: Hashable, Sendable {
    /// Bytes; Google's have about 1,000, and reserve themselves 2,048.
    package static let maximumLength = 8_192
    /// Seconds that a token must have left to be sent with.
    package static let margin: TimeInterval = 5 * 60
    /// Seconds of a token that does not say how long it serves, as Google's all do.
    private static let standardLifetime: TimeInterval = 3_600
    private static let maximumLifetime: TimeInterval = 86_400

    package let text: String
    package let issuedAt: Date
    package let expiresAt: Date

    /// Whether to send with it still; if not, it is time for another. One that serves less than ten minutes is changed
    /// at half its time.
    package func serves(at now: Date) -> Bool {
        let lifetime = expiresAt.timeIntervalSince(issuedAt)
        // A token from the future means that the clock was set back: its true age is unknown.
        guard now >= issuedAt.addingTimeInterval(-Self.margin) else { return false }
        return expiresAt.timeIntervalSince(now) >= min(Self.margin, lifetime / 2)
    }

    /// Reads what the token address answered.
    package static func read(status: Int, body: [UInt8], now: Date) throws(AccessTokenError) -> AccessToken {
        guard status == 200 else { throw AccessTokenError(status: status, body: body) }
        guard let response = try? CheckedJSON.decode(ResponseBody.self, from: body), isToken(response.token) else {
            throw .unavailable(reason: "unreadableAccessToken")
        }
        let lifetime = min(max(response.lifetime ?? standardLifetime, 1), maximumLifetime)
        return AccessToken(text: response.token, issuedAt: now, expiresAt: now.addingTimeInterval(lifetime))
    }

    /// It goes into a header field (RFC 6750 §2.1, more widely).
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
    /// Without the token (SEC-3).
    package var description: String { "access token until \(expiresAt)" }
}

/// One `POST` of a form that asks for an access token.
package struct AccessTokenRequest: Sendable {
    package static let contentType = "application/x-www-form-urlencoded"

    package let uri: TokenURI
    /// The form; it holds the signed assertion, which is a secret for an hour.
    package let body: [UInt8]

    /// - Parameter assertion: a JSON Web Token, whose letters a form takes as they are.
    init(uri: TokenURI, assertion: String) {
        self.uri = uri
        body = Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}

extension AccessTokenRequest: CustomStringConvertible {
    /// Without the assertion (SEC-3).
    package var description: String { "access token request to \(uri)" }
}
