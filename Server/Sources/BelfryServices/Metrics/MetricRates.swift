import Foundation
import ServiceLifecycle
import Synchronization

/// The growth rates of this process's counters: their values are recorded regularly, and a rate is the difference from
/// a recent record.
package final class MetricRates: Service {
    /// Seconds between two records.
    static let interval: TimeInterval = 15
    /// Seconds for which a record is kept.
    static let span: TimeInterval = 900

    private struct Note {
        let at: Date
        let values: [String: Int]
    }

    private let metrics: Metrics
    private let environment: ServerEnvironment
    private let notes = Mutex<[Note]>([])

    package init(_ metrics: Metrics, environment: ServerEnvironment) {
        self.metrics = metrics
        self.environment = environment
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { [self] in note() }
    }

    package func note() {
        let now = environment.now()
        let values = metrics.values.filter { Self.isCounter($0.key) }
        notes.withLock { notes in
            // After the clock was set back, earlier records are useless.
            if let last = notes.last, last.at > now { notes = [] }
            notes.removeAll { now.timeIntervalSince($0.at) > Self.span }
            notes.append(Note(at: now, values: values))
        }
    }

    /// How much each counter grew per minute in the last seconds, or since the oldest record if none is so old. Nil
    /// while no record is at least ``interval`` old.
    ///
    /// - Parameter seconds: how far to look back.
    package func perMinute(over seconds: TimeInterval) -> [String: Double]? {
        let now = environment.now()
        let present = metrics.values.filter { Self.isCounter($0.key) }
        let base = notes.withLock { notes in
            notes.last { now.timeIntervalSince($0.at) >= seconds }
                ?? notes.first { now.timeIntervalSince($0.at) >= Self.interval }
        }
        guard let base else { return nil }
        let passed = now.timeIntervalSince(base.at)
        return present.reduce(into: [:]) { rates, counter in
            rates[counter.key] = Double(counter.value - (base.values[counter.key] ?? 0)) / passed * 60
        }
    }

    private static func isCounter(_ name: String) -> Bool {
        Metrics.family(of: name).hasSuffix("_total")
    }
}
