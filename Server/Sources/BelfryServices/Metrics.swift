import Synchronization

/// Counters and gauges of this process, written as Prometheus text.
package final class Metrics: Sendable {
    private let series = Mutex<[String: Int]>([:])

    package init() {}

    /// - Parameter name: a series, labels included: `belfry_pushes_total{outcome="accepted"}`. Labels come from
    ///   small fixed sets, so the number of series is bounded.
    package func add(_ amount: Int, to name: String) {
        guard amount != 0 else { return }
        series.withLock { $0[name, default: 0] += amount }
    }

    /// Sets a gauge.
    package func set(_ value: Int, _ name: String) {
        series.withLock { $0[name] = value }
    }

    /// Every series with its value.
    package var values: [String: Int] { series.withLock { $0 } }

    /// Without its labels.
    package static func family(of name: String) -> String {
        String(decoding: name.utf8.prefix { $0 != UInt8(ascii: "{") }, as: UTF8.self)
    }

    /// The text of one label; nil when the series has none of that name.
    package static func label(_ label: String, of name: String) -> String? {
        guard let start = name.firstRange(of: "\(label)=\"") else { return nil }
        return String(decoding: name[start.upperBound...].utf8.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    package func prometheusText() -> String {
        var text = ""
        var family = ""
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let base = Self.family(of: name)
            if base != family {
                family = base
                text += "# TYPE \(base) \(base.hasSuffix("_total") ? "counter" : "gauge")\n"
            }
            text += "\(name) \(value)\n"
        }
        return text
    }
}
