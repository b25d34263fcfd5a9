import BelfryDelivery
import BelfryPush

/// Keeps a number of requests in flight until all have been answered: as answers come, as many new ones leave, some
/// at a time.
//
// Safe: after `init` everything but `run` is called on the pool's event loop only, as `onResponse` is.
final class PushLoad: @unchecked Sendable {
    /// How the requests ended.
    struct Outcomes: Sendable {
        /// Answers by status.
        var statuses: [Int: Int] = [:]
        /// Requests without an answer, by the reason.
        var failures: [String: Int] = [:]
    }

    /// Requests sent at a time, where so many may be in flight; a few full TLS records.
    private static let largestBatch = 64

    private let pool: PushConnectionPool
    /// Requests in all; fewer when it gives up.
    private var total: Int
    private let inFlight: Int
    private let batch: Int
    private var requests: BenchRequests
    private var sent = 0
    private var ended = 0
    private var failed = 0
    private var missing = 0
    private var counts = [Int](repeating: 0, count: 1_000)
    private var failures: [String: Int] = [:]
    private var whenDone: CheckedContinuation<Outcomes, Never>?

    init(pool: PushConnectionPool, requests: BenchRequests, total: Int, inFlight: Int) {
        self.pool = pool
        self.requests = requests
        self.total = total
        self.inFlight = inFlight
        batch = max(1, min(Self.largestBatch, inFlight / 8))
    }

    func run() async -> Outcomes {
        await withCheckedContinuation { continuation in
            pool.eventLoop.execute { self.start(continuation) }
        }
    }

    private func start(_ continuation: CheckedContinuation<Outcomes, Never>) {
        whenDone = continuation
        missing = inFlight
        topUp()
    }

    private func topUp() {
        let count = min(missing, total - sent)
        guard count > 0 else { return }
        missing -= count
        sent += count
        pool.send(requests.make(count)) { _, result in self.note(result) }
    }

    private func note(_ result: PushResult) {
        switch result {
        case .answered(let response):
            counts[min(max(response.status, 0), counts.count - 1)] += 1
        case .notProcessed(let reason), .unanswered(let reason):
            failures[reason, default: 0] += 1
            failed += 1
            // Whoever has lost the sink twice over need not go on.
            if failed >= 2 * inFlight { total = sent }
        }
        ended += 1
        missing += 1
        if missing >= batch { topUp() }
        if ended == total { finish() }
    }

    private func finish() {
        var outcomes = Outcomes()
        outcomes.failures = failures
        for (status, count) in counts.enumerated() where count > 0 { outcomes.statuses[status] = count }
        whenDone?.resume(returning: outcomes)
        whenDone = nil
    }
}
