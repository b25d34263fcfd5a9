import Foundation

extension [Double] {
    /// The quantile of the values: the value that a share such as 0.99 of them does not exceed. 0 for no values.
    func quantile(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        return self.sorted()[Swift.min(Int(Double(count) * part), count - 1)]
    }

    /// The middle value, or the mean of the two middle values. 0 for no values.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = self.sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }
}

extension [Double?] {
    /// The median of the values that are not nil; nil when all are.
    var medianOfMeasured: Double? {
        let measured = compactMap { $0 }
        return measured.isEmpty ? nil : measured.median
    }
}

extension Double? {
    /// The value as text with this number of decimal places; a dash for nil.
    func text(places: Int = 0) -> String {
        guard let figure = self else { return "–" }
        return figure.text(places: places)
    }
}

extension Double {
    /// The value rounded to this number of decimal places: further ones are only the noise of a machine.
    func rounded(places: Int) -> Double {
        let scale = Foundation.pow(10, Double(places))
        return (self * scale).rounded() / scale
    }

    /// The value as text with this number of decimal places, in any locale the same.
    func text(places: Int = 0) -> String { String(format: "%.\(places)f", self) }
}

extension Duration {
    var inSeconds: Double { self / Duration.seconds(1) }
    var inMilliseconds: Double { self / Duration.milliseconds(1) }
    var inMicroseconds: Double { self / Duration.microseconds(1) }
}

extension Encodable {
    /// The value as one line of JSON, for programs.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
