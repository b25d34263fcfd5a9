import Foundation

/// Limits attempts to sign in (SEC-2): for one name from one address, so that nobody guesses a person's password; for
/// one name from anywhere, with a higher limit, so that a stranger can hardly lock the person out; and from one
/// address, so that nobody tries one password with many names.
final class SignInLimits: Sendable {
    private struct Attempt: Hashable, Sendable {
        let name: String
        let address: IPAddress?
    }

    static let perNameAndAddress = RateLimit(perMinute: 2, burst: 10)
    static let perName = RateLimit(perMinute: 10, burst: 60)
    static let perAddress = RateLimit(perMinute: 10, burst: 50)
    static let maximumCount = 10_000

    private let attempts: RateLimiter<Attempt>
    private let names: RateLimiter<String>
    private let addresses: AddressRateLimiter
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) {
        attempts = RateLimiter(Self.perNameAndAddress, maximumCount: Self.maximumCount)
        names = RateLimiter(Self.perName, maximumCount: Self.maximumCount)
        addresses = AddressRateLimiter(Self.perAddress, maximumCount: Self.maximumCount)
        self.now = now
    }

    /// Counts an attempt. Throws when a limit is reached.
    ///
    /// - Parameters:
    ///   - name: nil for a name that nobody can have.
    ///   - address: nil when addresses are not counted.
    func attempt(name: String?, address: IPAddress?) throws(ServiceError) {
        if let address, let wait = addresses.take(address, now: now()) { throw Self.error(wait) }
        guard let name else { return }
        if let wait = attempts.take(Attempt(name: name, address: address), now: now()) { throw Self.error(wait) }
        if let wait = names.take(name, now: now()) { throw Self.error(wait) }
    }

    /// Undoes the count of an attempt with the right password.
    func succeeded(name: String, address: IPAddress?) {
        attempts.putBack(Attempt(name: name, address: address))
        names.putBack(name)
        if let address { addresses.putBack(address) }
    }

    /// Undoes the count of an attempt that a provider has signed in.
    func succeeded(from address: IPAddress) {
        addresses.putBack(address)
    }

    private static func error(_ wait: Int) -> ServiceError {
        .tooManyCalls(
            limit: "signIn", message: "There were too many attempts to sign in. Try again in \(wait) s.",
            retryAfter: wait
        )
    }
}
