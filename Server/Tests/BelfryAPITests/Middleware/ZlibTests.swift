import BelfryServerTestSupport
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

@Suite("Compression and decompression")
struct ZlibTests {
    private static let limit = 100_000
    private static let gzip = Inflation(coding: .gzip, limit: limit)

    /// Bytes that repeat themselves more or less, as texts do.
    private static func bytes(_ dice: inout SeededGenerator, upTo count: Int) -> [UInt8] {
        let letters = UInt8.random(in: 1...255, using: &dice)
        return (0..<Int.random(in: 0...count, using: &dice)).map { _ in UInt8.random(in: 0...letters, using: &dice) }
    }

    @Test("WIRE-27: compressed data is decompressed unchanged", arguments: Endurance.seeds(100, brief: 20))
    func roundTrip(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let plain = Self.bytes(&dice, upTo: Self.limit)
        let packed = try #require(Deflation.gzip(plain))
        #expect(packed.prefix(2) == [0x1f, 0x8b])
        #expect(try Self.gzip.unpacked(packed) == plain)
        let exact = Inflation(coding: .gzip, limit: plain.count)
        #expect(try exact.unpacked(packed) == plain)
        guard !plain.isEmpty else { return }
        let tooSmall = Inflation(coding: .gzip, limit: plain.count - 1)
        #expect(throws: Inflation.Failure.tooLarge) { try tooSmall.unpacked(packed) }
    }

    @Test("WIRE-27: a stream that is cut off anywhere is broken", arguments: Endurance.seeds(10, brief: 3))
    func cutOff(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let packed = try #require(Deflation.gzip(Self.bytes(&dice, upTo: 300)))
        for count in 1..<packed.count {
            #expect(throws: Inflation.Failure.broken) { try Self.gzip.unpacked(Array(packed.prefix(count))) }
        }
    }

    @Test("WIRE-27: a changed bit is noticed, or changes nothing", arguments: Endurance.seeds(10, brief: 3))
    func changed(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let plain = Self.bytes(&dice, upTo: 300)
        let packed = try #require(Deflation.gzip(plain))
        var noticed = 0
        for index in packed.indices {
            var other = packed
            other[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            do {
                let unpacked = try Self.gzip.unpacked(other)
                #expect(unpacked == plain, "byte \(index)")
            } catch {
                noticed += 1
            }
        }
        #expect(noticed > packed.count / 2)
    }

    @Test("WIRE-27, SEC-2: random bytes are invalid, and terminate", arguments: [ContentCoding.gzip, .deflate])
    func noise(coding: ContentCoding) {
        var dice = SeededGenerator(seed: 1)
        let inflation = Inflation(coding: coding, limit: Self.limit)
        for _ in 0..<2_000 {
            let header: [UInt8] = coding == .gzip ? [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] : [0x78, 0x9c]
            let noise = (0..<Int.random(in: 1...200, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
            #expect(throws: Inflation.Failure.self) { try inflation.unpacked(header + noise) }
        }
    }

    @Test("WIRE-27: data after the end is not part of the stream")
    func trailing() throws {
        let packed = try #require(Deflation.gzip([1, 2, 3]))
        #expect(try Self.gzip.unpacked(packed + packed) == [1, 2, 3, 1, 2, 3])
        for rest: [UInt8] in [[0], [1, 2, 3], [0x1f], [0x1f, 0x8b]] {
            #expect(throws: Inflation.Failure.broken) { try Self.gzip.unpacked(packed + rest) }
        }
    }

    @Test(
        "WIRE-27: a response is compressed if Accept-Encoding prefers gzip or is neutral",
        arguments: [
            ("gzip", true), ("gzip, deflate, br", true), ("GZIP", true), ("x-gzip", true), ("*", true),
            ("gzip;q=0.5", true), ("br, *;q=0.1", true), ("gzip ; q=1.0", true), ("gzip;q=1, identity;q=1", true),
            ("deflate, gzip;q=0.001", true),
            ("", false), ("identity", false), ("deflate", false), ("br", false), ("gzip;q=0", false),
            ("gzip;q=0.000", false), ("*;q=0", false), ("gzip;q=0, *", false), ("identity, gzip;q=0.5", false),
            ("identity;q=0.6, gzip;q=0.5", false), ("gzip;q=x", false), ("gzip;q=2", false), ("gzip;q=-1", false),
            ("gzipped", false), (";q=1", false), (",,", false),
        ]
    )
    func accepted(header: String, isPacked: Bool) {
        #expect(AcceptedEncoding.prefersGzip(header) == isPacked)
    }
}
