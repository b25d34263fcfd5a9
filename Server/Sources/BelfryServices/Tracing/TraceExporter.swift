import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Brings spans to a collector.
package protocol TraceTransport: Sendable {
    /// - Throws: ``TracesRefused`` when the collector will never take them; else they did not arrive, and may be sent
    ///   again.
    func send(_ spans: [TraceSpan]) async throws
    /// Ends its connections.
    func close() async
}

/// A collector refuses spans, and would do so again: its address or its settings are wrong.
package struct TracesRefused: Error, Hashable {
    /// Of its response.
    package let status: Int

    package init(status: Int) {
        self.status = status
    }
}

/// Spans that wait for the exporter. Whoever adds some never waits: what finds no room is dropped and counted.
package final class TraceLog: Sendable {
    /// Spans in memory at most: some ten MB.
    static let maximumHeld = 16_384

    private let share: TraceShare
    private let held = Mutex<[TraceSpan]>([])
    private let dropped: Counter

    /// - Parameter share: the traces that are told; spans of the others are nobody's loss.
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

    /// The oldest, which somebody else has from now on.
    package func take(_ limit: Int) -> [TraceSpan] {
        held.withLock { held in
            let taken = Array(held.prefix(limit))
            held.removeFirst(taken.count)
            return taken
        }
    }
}

/// Sends the spans of ledger rows to a collector (FLEET-11), and waits for nobody but it.
package struct TraceExporter: Service {
    /// Spans in one call.
    static let batch = 512
    /// In seconds: how often it looks, and how long it rests after a failure.
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
        // What the last senders have told; a collector that is gone keeps nobody.
        _ = await export()
        await transport.close()
    }

    /// Sends what waits.
    ///
    /// - Returns: whether it arrived. What did not goes back, if there is room and the collector may take it later.
    package func export() async -> Bool {
        while true {
            let spans = log.take(Self.batch)
            guard !spans.isEmpty else { return true }
            do {
                try await transport.send(spans)
            } catch let refusal as TracesRefused {
                log.drop(spans.count)
                logger.debug("the collector refuses traces", metadata: ["status": "\(refusal.status)"])
                return false
            } catch {
                log.add(spans)
                return false
            }
        }
    }
}
