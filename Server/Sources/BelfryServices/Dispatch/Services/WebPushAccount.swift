import BelfryModel
import BelfryPush
import Foundation
import Synchronization

/// An app's key pair for Web Push, and the VAPID token for each push service (PUSH-3).
struct WebPushAccount: Sendable {
    let credentials: WebPushCredentials
    let proofs = VAPIDProofs()
    private let answers: AnsweringServices
    private let tokens = VAPIDTokens()
    private let rule: PushTokenRule

    /// - Parameters:
    ///   - rule: which push services browsers may use.
    ///   - former: the app's account until its credentials were replaced. Which services have answered holds on, unless
    ///     others are trusted now: then somebody else may have a certificate for their names.
    init(credentials: WebPushCredentials, rule: PushTokenRule, former: WebPushAccount?) {
        self.credentials = credentials
        self.rule = rule
        if let former, former.credentials.trustRoots == credentials.trustRoots {
            answers = former.answers
        } else {
            answers = AnsweringServices()
        }
    }

    /// The value of `authorization` for the push service of a subscription.
    ///
    /// Throws for hosts that are no longer allowed: a subscription may be older than the operator's list of hosts.
    func authorization(for endpoint: PushEndpoint, now: Date) throws(ValueError) -> String {
        try rule.check(endpoint)
        return tokens.token(for: endpoint, of: credentials, now: now).authorization
    }

    /// Whether a subscription's address is at a push service, and not at what may be a stranger's.
    func believes(_ endpoint: PushEndpoint, path: String) -> Bool {
        rule.trusts(endpoint, path: path)
    }

    /// Whether it is no stranger's, by its name or by what ``noteAnswer(of:)`` has noted.
    func knows(_ endpoint: PushEndpoint) -> Bool {
        rule.knows(endpoint) || answers.has(endpoint)
    }

    /// Whether a stranger's endpoint is one that ``noteAnswer(of:)`` makes known.
    func knowsByAnswer(_ endpoint: PushEndpoint) -> Bool {
        rule.knowsByAnswer(endpoint)
    }

    /// A push service that is not known by its name has answered, whatever it said.
    func noteAnswer(of endpoint: PushEndpoint) {
        if knowsByAnswer(endpoint) { answers.note(endpoint) }
    }
}

/// Which push services have answered whose names alone do not make them known. Endpoints come from devices, so they are
/// bounded. They last as long as the process and the certificates that the app trusts: a name does not change hands.
final class AnsweringServices: Sendable {
    /// More than there are push services. When it is exceeded, the memory begins anew.
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

/// Which well-known push services have accepted pushes of the app's key lately: what one of them rejects then, it rejects
/// for the subscription. Endpoints come from devices, so they are bounded.
final class VAPIDProofs: Sendable {
    /// Seconds for which an acceptance counts.
    static let term: TimeInterval = 3_600
    /// More than there are push services. When it is exceeded, the memory begins anew.
    static let maximumCount = 256

    private let acceptances = Mutex<[PushEndpoint: Date]>([:])

    func note(_ endpoint: PushEndpoint, at now: Date) {
        acceptances.withLock { acceptances in
            if acceptances[endpoint] == nil, acceptances.count >= Self.maximumCount { acceptances = [:] }
            acceptances[endpoint] = now
        }
    }

    /// A clock that was set is a cause of rejections, and makes former acceptances count for nothing.
    func has(_ endpoint: PushEndpoint, at now: Date) -> Bool {
        guard let acceptance = acceptances.withLock({ $0[endpoint] }) else { return false }
        return abs(now.timeIntervalSince(acceptance)) <= Self.term
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
