import Crypto
import Foundation

/// The JSON Web Token by which APNs identifies the sender (PUSH-1), and the decision when to make a new one.
///
/// APNs rejects a token older than an hour (`ExpiredProviderToken`) and one that follows another within 20 minutes
/// (`TooManyProviderTokenUpdates`). So a token is used for 40 minutes: even if the clock was set back by less
/// than 20 minutes, it is not used for more than an hour.
package struct APNsProviderToken: Sendable {
    /// The age in seconds after which ``token(now:)`` makes a new token.
    package static let renewalAge: TimeInterval = 40 * 60
    /// The minimum time in seconds for which a token is used, whatever APNs responds.
    package static let minimumAge: TimeInterval = 20 * 60

    /// The step after `ExpiredProviderToken`.
    package enum Renewal: Hashable, Sendable {
        /// Send again with this token.
        case use(String)
        /// The refused token is younger than 20 minutes: APNs would refuse another one too, for it and we disagree
        /// about the time. That is a credential fault, which an operator ends by setting the clock.
        case rejectedWhileFresh
    }

    private struct Issued {
        let text: String
        let at: Date
    }

    private let keyID: String
    private let teamID: String
    private let privateKey: P256.Signing.PrivateKey
    private var issued: Issued?

    package init(credentials: APNsCredentials) {
        keyID = credentials.keyID
        teamID = credentials.teamID
        privateKey = credentials.privateKey
    }

    /// The token to send with: the previous one, or a new one if that is older than 40 minutes.
    package mutating func token(now: Date) -> String {
        guard let issued else { return issue(now: now) }
        let age = now.timeIntervalSince(issued.at)
        // The token's time of issue is in the future, so the clock was set back, and its true age is unknown.
        let isUsable = age < Self.renewalAge && age > -Self.minimumAge
        return isUsable ? issued.text : issue(now: now)
    }

    /// What to send with after APNs called `rejected` expired.
    ///
    /// Many requests in flight may be refused for one token: the first renews it, the others get the new one.
    package mutating func renewAfterExpiry(of rejected: String, now: Date) -> Renewal {
        guard let issued, issued.text == rejected else { return .use(token(now: now)) }
        let age = now.timeIntervalSince(issued.at)
        return abs(age) < Self.minimumAge ? .rejectedWhileFresh : .use(issue(now: now))
    }

    private mutating func issue(now: Date) -> String {
        let text = sign(issuedAt: Int64(now.timeIntervalSince1970.rounded(.down)))
        issued = Issued(text: text, at: now)
        return text
    }

    private func sign(issuedAt: Int64) -> String {
        // Both ids consist of ten characters of A–Z and 0–9 (APNsCredentials), so nothing in them needs an escape.
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8)
        let signed = "\(header).\(claims)"
        // Signing fails only for an invalid key, and this one was parsed.
        let signature = try! privateKey.signature(for: Data(signed.utf8))
        return "\(signed).\(Base64URL.encode(signature.rawRepresentation))"
    }
}
