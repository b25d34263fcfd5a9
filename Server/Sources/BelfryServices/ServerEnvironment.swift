import BelfryStore
import Foundation
import ServiceLifecycle

/// Time, randomness and ids, and what operators permit to devices, as the composition root gives them.
///
/// A class, since every use case holds it and is copied with it.
package final class ServerEnvironment: Sendable {
    package let now: @Sendable () -> Date
    /// Cryptographically secure bytes.
    package let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// In 0..<1, for jitter.
    package let jitter: @Sendable () -> Double
    package let uuid: @Sendable () -> UUID
    /// Returns when the date is reached; throws when the task is cancelled.
    package let sleepUntil: @Sendable (Date) async throws -> Void
    /// Which push tokens are taken from devices.
    package let pushTokens: PushTokenRule
    /// Whether a device may make a contact by what it registers (SEC-9).
    package let newContacts: NewContactRule
    /// Whether a receipt may name what was rejected of a registration (SEC-9).
    package let receipts: ReceiptBudget
    package let tokenMoves: TokenMoveCount
    /// Runs what keeps a processor busy for long and that no call waits for (PERF-13).
    package let background: JobQueue

    package init(
        now: @escaping @Sendable () -> Date,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        jitter: @escaping @Sendable () -> Double,
        uuid: @escaping @Sendable () -> UUID,
        sleepUntil: @escaping @Sendable (Date) async throws -> Void,
        pushTokens: PushTokenRule = PushTokenRule(),
        newContacts: NewContactRule = NewContactRule(),
        receipts: ReceiptBudget = ReceiptBudget(),
        tokenMoves: TokenMoveCount = TokenMoveCount(),
        background: JobQueue = .threads
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.jitter = jitter
        self.uuid = uuid
        self.sleepUntil = sleepUntil
        self.pushTokens = pushTokens
        self.newContacts = newContacts
        self.receipts = receipts
        self.tokenMoves = tokenMoves
        self.background = background
    }

    /// The same with these rules in place of its own; nil keeps a rule.
    package func with(
        pushTokens: PushTokenRule? = nil, newContacts: NewContactRule? = nil, receipts: ReceiptBudget? = nil,
        tokenMoves: TokenMoveCount? = nil
    ) -> ServerEnvironment {
        ServerEnvironment(
            now: now, randomBytes: randomBytes, jitter: jitter, uuid: uuid, sleepUntil: sleepUntil,
            pushTokens: pushTokens ?? self.pushTokens, newContacts: newContacts ?? self.newContacts,
            receipts: receipts ?? self.receipts, tokenMoves: tokenMoves ?? self.tokenMoves,
            background: background
        )
    }
}

extension ServerEnvironment {
    /// Does the same work again and again until a graceful shutdown or cancellation, which ends a pause at once and
    /// cancels work that is under way.
    ///
    /// - Parameters:
    ///   - interval: seconds between the end of the work and its next start.
    ///   - delay: seconds before its first start.
    ///   - work: ends the repetition when it throws.
    package func repeatUntilShutdown(
        every interval: TimeInterval, after delay: TimeInterval = 0, _ work: @escaping @Sendable () async throws -> Void
    ) async {
        await repeatUntilShutdown(after: delay, remembering: ()) { _ in
            try await work()
            return interval
        }
    }

    /// The same for work that remembers something from one time to the next, and returns the pause that follows it, in
    /// seconds.
    package func repeatUntilShutdown<Memory: Sendable>(
        after delay: TimeInterval = 0, remembering start: Memory,
        _ work: @escaping @Sendable (inout Memory) async throws -> TimeInterval
    ) async {
        try? await cancelWhenGracefulShutdown { [self] in
            if delay > 0 { try await sleepUntil(now().addingTimeInterval(delay)) }
            var memory = start
            while true {
                let pause = try await work(&memory)
                try await sleepUntil(now().addingTimeInterval(pause))
            }
        }
    }
}
