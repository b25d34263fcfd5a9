import BelfryModel
import BelfryPush
import Foundation
import Synchronization

/// An app's key pair for Web Push, and the VAPID token for each push service (PUSH-3).
struct WebPushAccount: Sendable {
    let credentials: WebPushCredentials
    private let tokens = VAPIDTokens()
    private let rule: PushTokenRule

    /// - Parameter rule: which push services browsers may use.
    init(credentials: WebPushCredentials, rule: PushTokenRule) {
        self.credentials = credentials
        self.rule = rule
    }

    /// The value of `authorization` for the push service of a subscription.
    ///
    /// Throws for hosts that are no longer allowed: a subscription may be older than the operator's list of hosts.
    func authorization(for endpoint: PushEndpoint, now: Date) throws(ValueError) -> String {
        try rule.check(endpoint)
        return tokens.token(for: endpoint, of: credentials, now: now).authorization
    }

    /// Whether the app's credentials are wrong when this push service says so.
    func mayJudgeCredentials(_ endpoint: PushEndpoint) -> Bool {
        rule.trusts(endpoint)
    }
}

/// One token for each push service, signed once and sent for hours. Endpoints come from devices, so they are bounded.
final class VAPIDTokens: Sendable {
    /// More than there are push services. When it is exceeded, the cache is cleared.
    static let maximumCount = 256

    private let tokens = Mutex<[PushEndpoint: VAPIDToken]>([:])

    var count: Int { tokens.withLock(\.count) }

    func token(for origin: PushEndpoint, of credentials: WebPushCredentials, now: Date) -> VAPIDToken {
        if let token = tokens.withLock({ $0[origin] }), token.serves(at: now) { return token }
        let token = VAPIDToken(credentials: credentials, origin: origin, now: now)
        tokens.withLock { tokens in
            if tokens[origin] == nil, tokens.count >= Self.maximumCount { tokens = [:] }
            tokens[origin] = token
        }
        return token
    }
}
