import BelfryModel
import BelfryPush
import Foundation
import Synchronization

/// An app's key pair for Web Push, and the VAPID token for each push service (PUSH-3).
struct WebPushAccount: Sendable {
    let credentials: WebPushCredentials
    let proofs = VAPIDProofs()
    private let responding: RespondingServices
    private let tokens = VAPIDTokens()
    private let rule: PushTokenRule

    /// - Parameters:
    ///   - rule: which push services browsers may use.
    ///   - former: the app's account until its credentials were replaced. The services that responded to it stay known,
    ///     unless other certificates are trusted now: then somebody else may have one for the services' names.
    init(credentials: WebPushCredentials, rule: PushTokenRule, former: WebPushAccount?) {
        self.credentials = credentials
        self.rule = rule
        if let former, former.credentials.trustRoots == credentials.trustRoots {
            responding = former.responding
        } else {
            responding = RespondingServices()
        }
    }

    /// The value of `authorization` for the push service of a subscription.
    ///
    /// Throws for hosts that are no longer allowed: a subscription may be older than the operator's list of hosts.
    func authorization(for endpoint: PushEndpoint, now: Date) throws(ValueError) -> String {
        try rule.check(endpoint)
        return tokens.token(for: endpoint, of: credentials, now: now).authorization
    }

    /// Whether a subscription's address is at a push service, and not at a host that anybody may run.
    func believes(_ endpoint: PushEndpoint, path: String) -> Bool {
        rule.trusts(endpoint, path: path)
    }

    /// Whether the service is known, by its name or because ``noteResponse(of:)`` recorded it.
    func knows(_ endpoint: PushEndpoint) -> Bool {
        rule.knows(endpoint) || responding.has(endpoint)
    }

    /// Whether the endpoint's service becomes known when ``noteResponse(of:)`` records it.
    func knowsByResponse(_ endpoint: PushEndpoint) -> Bool {
        rule.knowsByResponse(endpoint)
    }

    /// Records that a push service that is not known by its name has responded, with any status.
    func noteResponse(of endpoint: PushEndpoint) {
        if knowsByResponse(endpoint) { responding.note(endpoint) }
    }
}

/// The push services that became known by a response and not by their names alone. Endpoints come from devices, so the
/// number is bounded. An entry lasts as long as the process and the certificates that the app trusts, because a host
/// name does not change its owner.
final class RespondingServices: Sendable {
    /// More than there are push services. When it is exceeded, all entries are removed.
    static let maximumCount = 256

    private let endpoints = Mutex<Set<PushEndpoint>>([])

    var count: Int { endpoints.withLock(\.count) }

    func note(_ endpoint: PushEndpoint) {
        endpoints.withLock { endpoints in
            if !endpoints.contains(endpoint), endpoints.count >= Self.maximumCount { endpoints = [] }
            endpoints.insert(endpoint)
        }
    }

    func has(_ endpoint: PushEndpoint) -> Bool {
        endpoints.withLock { $0.contains(endpoint) }
    }
}

/// The well-known push services that have recently accepted pushes with the app's key. If one of them rejects a push
/// then, the subscription is the cause and not the key. Endpoints come from devices, so the number is bounded.
final class VAPIDProofs: Sendable {
    /// Seconds for which an acceptance counts.
    static let term: TimeInterval = 3_600
    /// More than there are push services. When it is exceeded, all entries are removed.
    static let maximumCount = 256

    private let acceptances = Mutex<[PushEndpoint: Date]>([:])

    func note(_ endpoint: PushEndpoint, at now: Date) {
        acceptances.withLock { acceptances in
            if acceptances[endpoint] == nil, acceptances.count >= Self.maximumCount { acceptances = [:] }
            acceptances[endpoint] = now
        }
    }

    /// Whether the service accepted a push within the term. A changed clock invalidates former acceptances, because a
    /// wrong clock also causes rejections.
    func has(_ endpoint: PushEndpoint, at now: Date) -> Bool {
        guard let acceptance = acceptances.withLock({ $0[endpoint] }) else { return false }
        return abs(now.timeIntervalSince(acceptance)) <= Self.term
    }
}

/// One VAPID token for each push service, signed once and used for hours. Endpoints come from devices, so the number is
/// bounded.
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
