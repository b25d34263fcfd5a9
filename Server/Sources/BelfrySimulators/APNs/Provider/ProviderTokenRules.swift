import Foundation

/// How old a provider token may be and how often a provider may make a new one.
struct ProviderTokenRules: Sendable, Equatable {
    /// How far in the future `iat` may lie, in seconds: clocks differ. Apple gives no figure.
    static let clockTolerance: TimeInterval = 300

    /// Seconds; Apple: "APNs rejects any request whose token contains a timestamp that is more than one hour old".
    var lifetime: TimeInterval
    /// Seconds; Apple: "APNs reports an error if you recreate your tokens more than once every 20 minutes". Nil: never.
    var updateInterval: TimeInterval?

    func refusal(of token: ProviderToken, at environment: APNsSimulator.Environment, now: Date) -> APNsRefusal? {
        let age = now.timeIntervalSince(token.issuedAt)
        if age > lifetime { return APNsRefusal(.expiredProviderToken) }
        if age < -Self.clockTolerance { return APNsRefusal(.invalidProviderToken) }
        if !token.environments.contains(environment) { return APNsRefusal(.badEnvironmentKeyInToken) }
        return nil
    }

    /// Whether `new` may take the place of `old` on a connection. What counts is when they were made, not when they
    /// came, so that a connection that begins with an old token may renew it soon.
    func refusal(of new: ProviderToken, after old: ProviderToken) -> APNsRefusal? {
        if new.teamID != old.teamID { return APNsRefusal(.unrelatedKeyIDInToken) }
        if let updateInterval, new.issuedAt.timeIntervalSince(old.issuedAt) < updateInterval {
            return APNsRefusal(.tooManyProviderTokenUpdates)
        }
        return nil
    }
}
