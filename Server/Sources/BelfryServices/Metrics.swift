import Synchronization

/// Counters and gauges of this process, written as Prometheus text.
package final class Metrics: Sendable {
    private let values = Mutex<[String: Int]>([:])

    package init() {}

    /// - Parameter name: a series, labels included: `belfry_pushes_total{outcome="accepted"}`. Labels come from
    ///   small fixed sets, so the number of series is bounded.
    package func add(_ amount: Int, to name: String) {
        guard amount != 0 else { return }
        values.withLock { $0[name, default: 0] += amount }
    }

    /// Sets a gauge.
    package func set(_ value: Int, _ name: String) {
        values.withLock { $0[name] = value }
    }

    package func prometheusText() -> String {
        let values = values.withLock { $0 }
        var text = ""
        var family = ""
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let base = String(name.prefix { $0 != "{" })
            if base != family {
                family = base
                text += "# TYPE \(base) \(base.hasSuffix("_total") ? "counter" : "gauge")\n"
            }
            text += "\(name) \(value)\n"
        }
        return text
    }
}
