import Foundation
import ServiceLifecycle
import Synchronization

/// How fast the counters of this process grow: they are noted regularly, and what was noted lately makes a rate.
package final class MetricRates: Service {
    /// How often counters are noted, in seconds.
    static let interval: TimeInterval = 15
    /// How long a note is kept, in seconds.
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
            // A clock that was set back begins anew.
            if let last = notes.last, last.at > now { notes = [] }
            notes.removeAll { now.timeIntervalSince($0.at) > Self.span }
            notes.append(Note(at: now, values: values))
        }
    }

    /// What has been added to each counter in the last seconds, for a minute; nil before that is known.
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
