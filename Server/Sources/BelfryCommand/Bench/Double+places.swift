import Foundation

extension Double {
    /// With so many decimal places: what a noisy machine says beyond them means nothing.
    func rounded(places: Int) -> Double {
        let scale = Foundation.pow(10, Double(places))
        return (self * scale).rounded() / scale
    }

    /// As text with so many decimal places, whatever the locale.
    func text(places: Int = 0) -> String { String(format: "%.\(places)f", self) }
}
