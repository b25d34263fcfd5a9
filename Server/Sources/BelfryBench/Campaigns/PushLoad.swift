import BelfryDelivery
import BelfryPush

/// Keeps a number of requests in flight until all have responses: as responses arrive, the same number of new requests
/// is sent, in batches.
//
// Safe: after `init`, everything except `run` is called on the pool's event loop only, as `onResponse` is.
final class PushLoad: @unchecked Sendable {
    /// How the requests ended.
    struct Outcomes: Sendable {
        /// The number of responses by status.
        var statuses: [Int: Int] = [:]
        /// The number of requests without a response, by reason.
        var failures: [String: Int] = [:]
    }

    /// The maximum number of requests that are sent together: a few full TLS records.
    private static let largestBatch = 64

    private let pool: PushConnectionPool
    /// The total number of requests. It is reduced when the load gives up.
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
            // Gives up after as many failures as twice the requests in flight: the sink is lost.
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
