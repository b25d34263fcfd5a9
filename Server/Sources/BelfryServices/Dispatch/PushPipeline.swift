import BelfryPush
import BelfryStore
import Foundation
import Logging

/// The dependencies that the workers that send pushes share: the store, and the transport to the push services.
package struct PushPipeline: Sendable {
    /// Seconds before a write is repeated after a temporary failure: the first delay, doubling up to the longest. Sends
    /// wait for the write, so an unavailable database is not queried more often.
    private static let firstDelay: TimeInterval = 0.05
    private static let longestDelay: TimeInterval = 1

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let accounts: PushAccounts
    let transport: any PushTransport
    let keys: ServerKeys
    let metrics: Metrics
    let durations: PushDurations
    let rejections: CredentialRejections
    /// Collects the traces of ledger rows and silent pushes; nil without a collector.
    let traces: TraceLog?
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, accounts: PushAccounts,
        transport: any PushTransport, keys: ServerKeys, metrics: Metrics, traces: TraceLog? = nil, logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.accounts = accounts
        self.transport = transport
        self.keys = keys
        self.metrics = metrics
        durations = PushDurations(metrics)
        rejections = CredentialRejections(metrics)
        self.traces = traces
        self.logger = logger
    }

    /// Writes results of pushes. Without its result a push would be sent again, so the write is repeated while the
    /// database is unavailable.
    ///
    /// - Parameter body: gets the time of its attempt.
    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection, _ now: Date) throws -> Output
    ) async throws -> Output {
        try await repeating { now in
            try await database.write(turn: turn) { try body($0, now) }
        }
    }

    /// Writes like ``write(turn:_:)``, together with other calls of the same kind that are waiting.
    ///
    /// - Parameter item: creates the item with the time of its attempt.
    func write<Item: Sendable, Output: Sendable>(
        of call: JointCall<Item, Output>, turn: WritePriority, _ item: (_ now: Date) -> Item
    ) async throws -> Output {
        try await repeating { now in
            let made = item(now)
            return try await withCheckedThrowingContinuation { continuation in
                database.write(made, of: call, turn: turn) { continuation.resume(with: $0) }
            }
        }
    }

    private func repeating<Output: Sendable>(_ write: (_ now: Date) async throws -> Output) async throws -> Output {
        var delay = Self.firstDelay
        while true {
            let now = environment.now()
            do {
                return try await write(now)
            } catch let error where error.meansTryAgain {
                try await environment.sleepUntil(now.addingTimeInterval(delay))
                delay = min(2 * delay, Self.longestDelay)
            }
        }
    }
}

/// Sends requests to a push service. The delivery engine implements it.
package protocol PushTransport: Sendable {
    /// Every request gets exactly one result, in any order and on any thread; `index` is its index in `requests`.
    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    )
}
