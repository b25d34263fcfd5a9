import CoreMetrics
import Synchronization

/// The counters, gauges and histograms of this process, for swift-metrics, written as Prometheus text (FLEET-11).
///
/// Frequent callers create a `Counter` or a `Timer` once with `factory:` and keep it; rare callers name the series in
/// each call.
package final class Metrics: MetricsFactory {
    private enum Series {
        case number(NumberSeries)
        case histogram(HistogramSeries)
    }

    private let series = Mutex<[String: Series]>([:])

    package init() {}

    /// - Parameter name: a series with its labels, such as `belfry_pushes_total{outcome="accepted"}`. Labels come from
    ///   small fixed sets, so the number of series is bounded.
    package func add(_ amount: Int, to name: String) {
        guard amount != 0 else { return }
        number(name).add(amount)
    }

    /// Sets a gauge.
    package func set(_ value: Int, _ name: String) {
        number(name).set(value)
    }

    /// Every counter and gauge with its value.
    package var values: [String: Int] {
        series.withLock { series in
            series.compactMapValues { if case .number(let number) = $0 { number.value } else { nil } }
        }
    }

    /// The name of a series without its labels.
    package static func family(of name: String) -> String {
        String(decoding: name.utf8.prefix { $0 != UInt8(ascii: "{") }, as: UTF8.self)
    }

    /// The value of a label; nil if the series does not have it.
    package static func label(_ label: String, of name: String) -> String? {
        guard let start = name.utf8.firstRange(of: "\(label)=\"".utf8) else { return nil }
        return String(decoding: name.utf8[start.upperBound...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// All series in Prometheus' text format. Histograms without values are left out, because there is one for each
    /// route.
    package func prometheusText() -> String {
        var text = ""
        var last = ""
        let all = series.withLock { $0 }.sorted { $0.key < $1.key }
        for (name, one) in all {
            let family = Self.family(of: name)
            let kind: String
            let lines: String
            switch one {
            case .number(let number):
                kind = family.hasSuffix("_total") ? "counter" : "gauge"
                lines = "\(name) \(number.value)\n"
            case .histogram(let histogram):
                kind = "histogram"
                lines = histogram.text(family: family, labels: String(name.dropFirst(family.count)))
            }
            guard !lines.isEmpty else { continue }
            if family != last {
                last = family
                text += "# TYPE \(family) \(kind)\n"
            }
            text += lines
        }
        return text
    }

    private func number(_ name: String) -> NumberSeries {
        series.withLock { series in
            if case .number(let number)? = series[name] { return number }
            let number = NumberSeries()
            // A name has one kind. If it is used for another kind, that series counts but is never printed.
            if series[name] == nil { series[name] = .number(number) }
            return number
        }
    }

    private func histogram(_ name: String, _ bounds: [Double]) -> HistogramSeries {
        series.withLock { series in
            if case .histogram(let histogram)? = series[name] { return histogram }
            let histogram = HistogramSeries(bounds: bounds)
            if series[name] == nil { series[name] = .histogram(histogram) }
            return histogram
        }
    }

    /// The name of a series with its labels; characters that would end a label's value are escaped.
    private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
        guard !dimensions.isEmpty else { return label }
        let labels = dimensions.map { name, value in "\(name)=\"\(escaped(value))\"" }
        return "\(label){\(labels.joined(separator: ","))}"
    }

    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: MetricsFactory

extension Metrics {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        number(Self.name(label, dimensions))
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        number(Self.name(label, dimensions))
    }

    /// A gauge, or a histogram of sizes.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let name = Self.name(label, dimensions)
        return aggregate ? histogram(name, HistogramSeries.sizes) : number(name)
    }

    /// A histogram in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(Self.name(label, dimensions), HistogramSeries.seconds)
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func remove(_ handler: AnyObject) {
        series.withLock { all in
            all = all.filter { _, series in
                switch series {
                case .number(let number): number !== handler
                case .histogram(let histogram): histogram !== handler
                }
            }
        }
    }
}
