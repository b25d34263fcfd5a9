import BelfryModel
import Dispatch
import Foundation
import Synchronization

/// Hashes and compares passwords, one at a time on its own thread: each takes 32 MiB and about a tenth of a second, for
/// which no other work should wait.
final class PasswordHasher: Sendable {
    /// The most operations that may wait. Beyond that, sign-ins are rejected for a moment (SEC-2).
    static let maximumWaiting = 16

    private let queue = DispatchQueue(label: "belfry.passwords")
    private let waiting = Mutex(0)
    private let cost: PasswordHash.Cost

    init(cost: PasswordHash.Cost = PasswordHash.standard) {
        self.cost = cost
    }

    func hash(_ password: String, salt: [UInt8]) async throws -> String {
        try await run { [cost] in try PasswordHash(of: password, salt: salt, cost: cost).text }
    }

    /// Whether a password matches a hash. Without a hash it does the same work, so that the time does not tell which
    /// names exist.
    func matches(_ password: String, _ hash: String?) async throws -> Bool {
        try await run { [cost] in
            guard let known = hash.flatMap(PasswordHash.init) else {
                _ = try PasswordHash(of: password, salt: Array(repeating: 0, count: 16), cost: cost)
                return false
            }
            return try known.matches(password)
        }
    }

    private func run<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
        let isFree = waiting.withLock { count in
            guard count < Self.maximumWaiting else { return false }
            count += 1
            return true
        }
        guard isFree else {
            throw ServiceError.tooManyCalls(
                limit: "signIn", message: "Many people are signing in at once. Try again in a few seconds.",
                retryAfter: 5
            )
        }
        defer { waiting.withLock { $0 -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
