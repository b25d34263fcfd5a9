import CoreMetrics
import Synchronization

/// A counter or a gauge: counting costs one atomic addition.
final class NumberSeries: CounterHandler, MeterHandler, RecorderHandler {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }
    func set(_ value: Int) { number.store(value, ordering: .relaxed) }

    func increment(by amount: Int64) { add(Int(clamping: amount)) }
    func reset() { set(0) }

    func set(_ value: Int64) { set(Int(clamping: value)) }
    func set(_ value: Double) { set(Int(saturating: value)) }
    func increment(by amount: Double) { add(Int(saturating: amount)) }
    func decrement(by amount: Double) { add(0 &- Int(saturating: amount)) }

    func record(_ value: Int64) { set(Int(clamping: value)) }
    func record(_ value: Double) { set(Int(saturating: value)) }
}

/// A histogram in Prometheus' form: each bucket counts all values up to its bound.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// The bounds in seconds: from a call of the express lane to a push service that is about to time out.
    static let seconds = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    static let sizes = (0...9).map { exponent in (0..<exponent).reduce(1.0) { power, _ in power * 10 } }

    private struct Counts {
        /// One for each bound, and the last for values above all of them.
        var buckets: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let counts: Mutex<Counts>

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Mutex(Counts(buckets: [Int](repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        counts.withLock { counts in
            counts.buckets[bucket] += 1
            counts.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    /// - Parameter labels: the labels in braces; empty without labels.
    /// - Returns: an empty text if nothing was measured.
    func text(family: String, labels: String) -> String {
        let counts = counts.withLock { $0 }
        let total = counts.buckets.reduce(0, +)
        guard total > 0 else { return "" }
        let before = labels.isEmpty ? "{" : "\(labels.dropLast()),"
        var text = ""
        var sum = 0
        for (bound, count) in zip(bounds, counts.buckets) {
            sum += count
            text += "\(family)_bucket\(before)le=\"\(Self.number(bound))\"} \(sum)\n"
        }
        text += "\(family)_bucket\(before)le=\"+Inf\"} \(total)\n"
        text += "\(family)_sum\(labels) \(Self.number(counts.sum))\n"
        text += "\(family)_count\(labels) \(total)\n"
        return text
    }

    /// The number as text, without a fraction if it is whole: `1`, not `1.0`.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}

extension Int {
    /// The nearest whole number; 0 for NaN.
    fileprivate init(saturating value: Double) {
        guard !value.isNaN else {
            self = 0
            return
        }
        self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
