import Foundation

/// The share of traces that are collected (FLEET-11). The trace's id decides, so a trace is collected completely or not
/// at all, even if several processes add spans; processes with the same share collect the same traces.
package struct TraceShare: Hashable, Sendable {
    package static let all = TraceShare(thousandths: 100_000)
    /// The text that ``init(_:)`` parses, in words.
    package static let form = "a share of the traces from 0.001% to 100%, such as 10% or 0.5%"

    /// The share in thousandths of a percent.
    private let thousandths: UInt64

    private init(thousandths: UInt64) {
        self.thousandths = thousandths
    }

    /// Parses ``form``; nil for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.last == UInt8(ascii: "%") else { return nil }
        let parts = bytes.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areNumbers = parts.allSatisfy { part in
            (1...3).contains(part.count) && part.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areNumbers, (1...2).contains(parts.count) else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1]) : []
        let digits = Array(parts[0]) + fraction + [UInt8](repeating: 0x30, count: 3 - fraction.count)
        let thousandths = digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
        guard (1...Self.all.thousandths).contains(thousandths) else { return nil }
        self.init(thousandths: thousandths)
    }

    /// Whether a trace is collected, by the last 56 bits of its id, which come from a digest.
    package func contains(_ trace: UUID) -> Bool {
        let number = withUnsafeBytes(of: trace.uuid) { bytes in
            bytes[9...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        // Compares the first 40 of the 56 bits, so that the product stays far below 64 bits.
        return number >> 16 < (thousandths << 40) / Self.all.thousandths
    }
}
