import BelfryPush
import Crypto
import Foundation

/// Keeps one provider token per signing key, renewed in time (PUSH-1).
///
/// Apps that share a key share its token, and a `PUT` of the same key keeps it: APNs answers
/// `TooManyProviderTokenUpdates` to a sender that uses two tokens of one key within 20 minutes.
actor APNsProviderTokens {
    /// The signing key to which a provider token belongs.
    private struct Signer: Hashable {
        let teamID: String
        let keyID: String
        let privateKey: Data

        init(_ credentials: APNsCredentials) {
            teamID = credentials.teamID
            keyID = credentials.keyID
            privateKey = credentials.privateKey.rawRepresentation
        }
    }

    private struct Issued {
        var token: APNsProviderToken
        var usedAt: Date
    }

    private var tokens: [Signer: Issued] = [:]

    func token(of credentials: APNsCredentials, now: Date) -> String {
        let signer = Signer(credentials)
        if tokens[signer] == nil {
            // A token that was unused for this long would be replaced in any case.
            tokens = tokens.filter { abs(now.timeIntervalSince($0.value.usedAt)) < APNsProviderToken.renewalAge }
        }
        var token = tokens[signer]?.token ?? APNsProviderToken(credentials: credentials)
        let text = token.token(now: now)
        tokens[signer] = Issued(token: token, usedAt: now)
        return text
    }

    /// Called when APNs reports a token as expired: the next call creates a new one. False when the token is only
    /// moments old: then this server's clock is wrong, and a new token would not help.
    func renew(_ rejected: String, of credentials: APNsCredentials, now: Date) -> Bool {
        let signer = Signer(credentials)
        guard var issued = tokens[signer] else { return true }
        let renewal = issued.token.renewAfterExpiry(of: rejected, now: now)
        tokens[signer] = issued
        return renewal != .rejectedWhileFresh
    }
}
