import Foundation

/// What a VAPID token must say to be taken here and now.
struct VAPIDRules: Sendable, Equatable {
    /// Seconds; RFC 8292 §2: the expiry "MUST NOT be more than 24 hours from the time of the request".
    static let longestLife: TimeInterval = 86_400

    /// The origin of the push service.
    var origin: String

    func check(_ signature: VAPIDSignature, now: Date) throws(WebPushRefusal) {
        guard signature.audience == origin else { throw WebPushRefusal(.badAudience) }
        let left = signature.expiresAt.timeIntervalSince(now)
        guard left > 0, left <= Self.longestLife else { throw WebPushRefusal(.expiredJWT) }
        let subject = signature.subject?.lowercased() ?? ""
        let isContact = ["mailto:", "https://"].contains { subject.hasPrefix($0) && subject.count > $0.count }
        guard isContact else { throw WebPushRefusal(.badSubject) }
    }
}
