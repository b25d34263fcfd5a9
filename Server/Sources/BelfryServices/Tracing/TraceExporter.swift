import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Sends spans to a collector.
package protocol TraceTransport: Sendable {
    /// - Throws: ``TracesRejected`` if the collector will never accept the spans. After any other error they did not
    ///   arrive, and may be sent again.
    func send(_ spans: [TraceSpan]) async throws
    /// Closes the connections.
    func close() async
}

/// The collector rejects spans, and would reject them again: its address or its settings are wrong.
package struct TracesRejected: Error, Hashable {
    /// The status of the collector's response.
    package let status: Int

    package init(status: Int) {
        self.status = status
    }
}

/// Holds spans for the exporter. Adding spans never waits: those without room are dropped and counted.
package final class TraceLog: Sendable {
    /// The most spans in memory: about ten MB.
    static let maximumHeld = 16_384

    private let share: TraceShare
    private let held = Mutex<[TraceSpan]>([])
    private let dropped: Counter

    /// - Parameter share: the share of traces that are kept. Spans of other traces are not counted as dropped.
    package init(metrics: Metrics, share: TraceShare = .all) {
        self.share = share
        dropped = Counter(label: "belfry_trace_spans_dropped_total", factory: metrics)
    }

    package func add(_ spans: [TraceSpan]) {
        let spans = share == .all ? spans : spans.filter { share.contains($0.trace) }
        let rest = held.withLock { held in
            let room = max(Self.maximumHeld - held.count, 0)
            held += spans.prefix(room)
            return spans.count - min(room, spans.count)
        }
        if rest > 0 { drop(rest) }
    }

    /// Counts spans that reach no collector.
    func drop(_ count: Int) {
        dropped.increment(by: count)
    }

    /// Removes and returns the oldest spans; the caller is responsible for them from now on.
    package func take(_ limit: Int) -> [TraceSpan] {
        held.withLock { held in
            let taken = Array(held.prefix(limit))
            held.removeFirst(taken.count)
            return taken
        }
    }
}

/// Sends the spans of ledger rows to a collector (FLEET-11). It waits for nothing but the collector.
package struct TraceExporter: Service {
    /// The most spans in one request.
    static let batch = 512
    /// Seconds between two checks for spans, and the pause after a failure.
    static let interval: TimeInterval = 1
    static let restAfterFailure: TimeInterval = 5

    let log: TraceLog
    let transport: any TraceTransport
    let environment: ServerEnvironment
    let logger: Logger

    package init(log: TraceLog, transport: any TraceTransport, environment: ServerEnvironment, logger: Logger) {
        self.log = log
        self.transport = transport
        self.environment = environment
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(remembering: false) { isFailing in
            let isWell = await export()
            if isWell == isFailing {
                isFailing = !isWell
                logger.log(
                    level: isWell ? .notice : .warning,
                    isWell ? "the collector takes traces again" : "traces do not arrive at the collector"
                )
            }
            return isWell ? Self.interval : Self.restAfterFailure
        }
        // The spans that the senders added last. The first failure ends it, so that an unavailable collector does not
        // hold up the stop.
        _ = await export()
        await transport.close()
    }

    /// Sends the waiting spans.
    ///
    /// - Returns: whether they arrived. Spans that did not arrive are put back, if there is room and the collector may
    ///   accept them later.
    package func export() async -> Bool {
        while true {
            let spans = log.take(Self.batch)
            guard !spans.isEmpty else { return true }
            do {
                try await transport.send(spans)
            } catch let rejection as TracesRejected {
                log.drop(spans.count)
                logger.debug("the collector refuses traces", metadata: ["status": "\(rejection.status)"])
                return false
            } catch {
                log.add(spans)
                return false
            }
        }
    }
}
