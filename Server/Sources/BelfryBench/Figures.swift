import Foundation

extension [Double] {
    /// The value that this part of all does not exceed, such as 0.99; 0 when there is none.
    func quantile(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        return self.sorted()[Swift.min(Int(Double(count) * part), count - 1)]
    }

    /// The middle one, or halfway between the middle two; 0 when there is none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = self.sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }
}

extension [Double?] {
    /// The median of those that were measured; nil when none was.
    var medianOfMeasured: Double? {
        let measured = compactMap { $0 }
        return measured.isEmpty ? nil : measured.median
    }
}

extension Double? {
    /// As text with so many decimal places; a dash for what was not measured.
    func text(places: Int = 0) -> String {
        guard let figure = self else { return "–" }
        return figure.text(places: places)
    }
}

extension Double {
    /// With so many decimal places: what a noisy machine says beyond them means nothing.
    func rounded(places: Int) -> Double {
        let scale = Foundation.pow(10, Double(places))
        return (self * scale).rounded() / scale
    }

    /// As text with so many decimal places, whatever the locale.
    func text(places: Int = 0) -> String { String(format: "%.\(places)f", self) }
}

extension Duration {
    var inSeconds: Double { self / Duration.seconds(1) }
    var inMilliseconds: Double { self / Duration.milliseconds(1) }
    var inMicroseconds: Double { self / Duration.microseconds(1) }
}

extension Encodable {
    /// One line of JSON, for programs.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
