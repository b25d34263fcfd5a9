import Crypto
import Foundation

/// The JSON Web Token by which APNs knows the sender (PUSH-1), and the decision when to make a new one.
///
/// APNs refuses a token older than an hour (`ExpiredProviderToken`) and one that follows another within 20 minutes
/// (`TooManyProviderTokenUpdates`). So a token serves 40 minutes: a clock that was set back by less than 20 does
/// not carry it past the hour.
package struct APNsProviderToken: Sendable {
    /// Seconds after which ``token(now:)`` makes a new token.
    package static let renewalAge: TimeInterval = 40 * 60
    /// Seconds that a token serves at least, whatever APNs answers.
    package static let minimumAge: TimeInterval = 20 * 60

    /// What to do after `ExpiredProviderToken`.
    package enum Renewal: Hashable, Sendable {
        /// Send again with this token.
        case use(String)
        /// The refused token is younger than 20 minutes: APNs would refuse another one too, for it and we disagree
        /// about the time. That is a credential fault, which an operator ends by setting the clock.
        case refusedWhileFresh
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

    /// The token to send with: the last one, or a new one when that has served its 40 minutes.
    package mutating func token(now: Date) -> String {
        guard let issued else { return issue(now: now) }
        let age = now.timeIntervalSince(issued.at)
        // A token from the future means that the clock was set back: its true age is unknown.
        let isUsable = age < Self.renewalAge && age > -Self.minimumAge
        return isUsable ? issued.text : issue(now: now)
    }

    /// What to send with after APNs called `refused` expired.
    ///
    /// Many requests in flight may be refused for one token: the first renews it, the others get the new one.
    package mutating func renewAfterExpiry(of refused: String, now: Date) -> Renewal {
        guard let issued, issued.text == refused else { return .use(token(now: now)) }
        let age = now.timeIntervalSince(issued.at)
        return abs(age) < Self.minimumAge ? .refusedWhileFresh : .use(issue(now: now))
    }

    private mutating func issue(now: Date) -> String {
        let text = sign(issuedAt: Int64(now.timeIntervalSince1970.rounded(.down)))
        issued = Issued(text: text, at: now)
        return text
    }

    private func sign(issuedAt: Int64) -> String {
        // Both ids are ten characters of A–Z and 0–9 (APNsCredentials), so nothing in them needs an escape.
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8)
        let signed = "\(header).\(claims)"
        // Signing fails only for a key that is none, and this one was parsed.
        let signature = try! privateKey.signature(for: Data(signed.utf8))
        return "\(signed).\(Base64URL.encode(signature.rawRepresentation))"
    }
}
