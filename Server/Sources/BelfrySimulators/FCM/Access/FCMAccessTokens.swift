import Foundation
import Synchronization

/// The issued access tokens.
final class FCMAccessTokens: Sendable {
    /// The rights of a token.
    struct Grant: Sendable, Equatable {
        var projectID: String
        var mayMessage: Bool
        var expiresAt: Date
    }

    /// The maximum number of remembered tokens; beyond it, those that expire first are forgotten.
    static let limit = 10_000

    private let grants = Mutex<[String: Grant]>([:])

    func add(_ token: String, _ grant: Grant, now: Date) {
        grants.withLock { grants in
            if grants.count >= Self.limit { grants = grants.filter { $0.value.expiresAt > now } }
            if grants.count >= Self.limit, let first = grants.min(by: { $0.value.expiresAt < $1.value.expiresAt }) {
                grants[first.key] = nil
            }
            grants[token] = grant
        }
    }

    func grant(_ token: String) -> Grant? {
        grants.withLock { $0[token] }
    }

    /// Revokes all tokens, as if their account's key had been revoked.
    func revokeAll() {
        grants.withLock { $0 = [:] }
    }
}
