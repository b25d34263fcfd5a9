import Foundation

/// How many of a hundred traces are told (FLEET-11). The id of a trace decides, so that each is whole or absent, whichever
/// processes make its spans; processes with the same share tell the same ones.
package struct TraceShare: Hashable, Sendable {
    package static let all = TraceShare(thousandths: 100_000)
    /// What ``init(_:)`` reads, in words.
    package static let form = "a share of the traces from 0.001% to 100%, such as 10% or 0.5%"

    /// Of a percent.
    private let thousandths: UInt64

    private init(thousandths: UInt64) {
        self.thousandths = thousandths
    }

    /// Reads ``form``; nil for anything else.
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

    /// Whether a trace is told: by the last 56 bits of its id, which are those of a digest.
    package func contains(_ trace: UUID) -> Bool {
        let number = withUnsafeBytes(of: trace.uuid) { bytes in
            bytes[9...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        // By the first 40 of the 56 bits, so that the product stays far below 64.
        return number >> 16 < (thousandths << 40) / Self.all.thousandths
    }
}
