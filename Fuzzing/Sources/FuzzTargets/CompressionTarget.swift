@testable import BelfryAPI

/// Compressed bodies: the decompressed size never exceeds the limit, and the server's own output can be decompressed.
enum CompressionTarget {
    private static let limit = 4_096

    static func run(_ bytes: [UInt8]) throws {
        for coding in [ContentCoding.gzip, .deflate] {
            let unpacking = Inflation(coding: coding, limit: limit)
            guard let plain = try? unpacking.unpacked(bytes) else { continue }
            try expect(plain.count <= limit, "a bound that does not hold: \(plain.count)")
        }
        guard bytes.count <= limit, let packed = Deflation.gzip(bytes) else { return }
        let plain = try? Inflation(coding: .gzip, limit: limit).unpacked(packed)
        try expect(plain == bytes, "what was packed can be unpacked")
        guard !bytes.isEmpty else { return }
        let cut = try? Inflation(coding: .gzip, limit: bytes.count - 1).unpacked(packed)
        try expect(cut == nil, "one byte more than the bound is too much")
    }
}
