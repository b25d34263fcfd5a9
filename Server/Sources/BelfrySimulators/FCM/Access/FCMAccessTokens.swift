import Foundation
import Synchronization

/// The access tokens that were given out.
final class FCMAccessTokens: Sendable {
    /// What a token is good for.
    struct Grant: Sendable, Equatable {
        var projectID: String
        var mayMessage: Bool
        var expiresAt: Date
    }

    /// Tokens that are remembered; then those that end first go.
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

    /// All are unknown from now on, as if their account's key had been revoked.
    func revokeAll() {
        grants.withLock { $0 = [:] }
    }
}
