import BelfryStore
import Foundation
import ServiceLifecycle

/// Time, randomness and ids, and the rules for what devices may do. The composition root sets them.
///
/// It is a class because every use case holds it and is copied with it.
package final class ServerEnvironment: Sendable {
    package let now: @Sendable () -> Date
    /// Returns cryptographically secure bytes.
    package let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Returns a number in 0..<1, for jitter.
    package let jitter: @Sendable () -> Double
    package let uuid: @Sendable () -> UUID
    /// Returns when the date is reached; throws when the task is cancelled.
    package let sleepUntil: @Sendable (Date) async throws -> Void
    /// Which push tokens the server accepts from devices.
    package let pushTokens: PushTokenRule
    /// Whether a device may create a contact by a registration (SEC-9).
    package let newContacts: NewContactRule
    /// Whether a receipt may name the rejected parts of a registration (SEC-9).
    package let receipts: ReceiptBudget
    package let tokenMoves: TokenMoveCount
    /// Runs work that keeps a processor busy for long and that no call waits for (PERF-13).
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

    /// Returns a copy with these rules. Nil keeps the present rule.
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
    /// Repeats some work until a graceful shutdown or cancellation, which ends a pause immediately and cancels work in
    /// progress.
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

    /// Repeats some work until shutdown, as above. The work keeps a memory from one run to the next, and returns the
    /// pause that follows it, in seconds.
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
