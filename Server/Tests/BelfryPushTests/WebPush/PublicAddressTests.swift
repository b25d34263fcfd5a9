import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Testing

@Suite("Which addresses are public")
struct PublicAddressTests {
    /// A block of a registry: its first bytes, and how many leading bits all its addresses share.
    struct Block: CustomTestStringConvertible, Sendable {
        let start: [UInt8]
        let length: Int
        let testDescription: String

        init(_ start: [UInt8], _ length: Int, of size: Int) {
            self.start = start + [UInt8](repeating: 0, count: size - start.count)
            self.length = length
            testDescription = "\(start)/\(length) of \(size)"
        }

        /// The block's address whose other bits are these.
        func address(_ bits: [UInt8]) -> [UInt8] {
            zip(start, bits).enumerated().map { index, bytes in
                let shared = min(max(length - index * 8, 0), 8)
                let mask = shared == 0 ? 0 : UInt8(truncatingIfNeeded: 0xff << (8 - shared))
                return (bytes.0 & mask) | (bytes.1 & ~mask)
            }
        }

        var first: [UInt8] { address([UInt8](repeating: 0, count: start.count)) }
        var last: [UInt8] { address([UInt8](repeating: 0xff, count: start.count)) }

        /// Any address of the block.
        func any(using random: inout SeededGenerator) -> [UInt8] {
            address(start.map { _ in UInt8.random(in: .min ... .max, using: &random) })
        }
    }

    /// IANA's "IPv4 Special-Purpose Address Registry", as of RFC 8190, where not globally reachable; and multicast.
    private static let blocks4 = [
        Block([0], 8, of: 4), Block([10], 8, of: 4), Block([100, 64], 10, of: 4), Block([127], 8, of: 4),
        Block([169, 254], 16, of: 4), Block([172, 16], 12, of: 4), Block([192, 0, 0], 24, of: 4),
        Block([192, 0, 2], 24, of: 4), Block([192, 88, 99], 24, of: 4), Block([192, 168], 16, of: 4),
        Block([198, 18], 15, of: 4), Block([198, 51, 100], 24, of: 4), Block([203, 0, 113], 24, of: 4),
        Block([224], 4, of: 4), Block([240], 4, of: 4),
    ]
    /// Special addresses of IPv6; and multicast, the former site-local, and 6to4, Teredo and ORCHID.
    private static let blocks6 = [
        Block([], 96, of: 16), Block([0x00, 0x64, 0xff, 0x9b, 0, 1], 48, of: 16), Block([0x01, 0], 64, of: 16),
        Block([0x20, 0x01], 23, of: 16), Block([0x20, 0x01, 0, 0], 32, of: 16), Block([0x20, 0x01, 0, 2], 48, of: 16),
        Block([0x20, 0x01, 0, 0x10], 28, of: 16), Block([0x20, 0x01, 0x0d, 0xb8], 32, of: 16),
        Block([0x20, 0x02], 16, of: 16), Block([0x3f, 0xff], 20, of: 16), Block([0x5f], 16, of: 16),
        Block([0xfc], 7, of: 16), Block([0xfe, 0x80], 10, of: 16), Block([0xfe, 0xc0], 10, of: 16),
        Block([0xff], 8, of: 16),
    ]
    /// Prefixes before an IPv4 address that stand for it: mapped, and NAT64.
    private static let standIns: [[UInt8]] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
    ]

    @Test("SEC-5: no address of a special block is public, from its first to its last", arguments: blocks4 + blocks6)
    func special(_ block: Block) {
        var random = SeededGenerator(seed: 5)
        let addresses = [block.first, block.last] + (0..<500).map { _ in block.any(using: &random) }
        for address in addresses { #expect(!PublicAddress.contains(address), "\(address)") }
    }

    @Test("SEC-5: an IPv4 address is treated the same inside IPv6")
    func standIns() {
        var random = SeededGenerator(seed: 6)
        var addresses = Self.blocks4.flatMap { [$0.first, $0.last] }
        addresses += (0..<2_000).map { _ in (0..<4).map { _ in UInt8.random(in: .min ... .max, using: &random) } }
        for address in addresses {
            for prefix in Self.standIns {
                #expect(PublicAddress.contains(prefix + address) == PublicAddress.contains(address), "\(address)")
            }
        }
    }

    @Test(
        "SEC-5: addresses right next to a special block are public",
        arguments: [
            [1, 0, 0, 0], [9, 255, 255, 255], [11, 0, 0, 0], [100, 63, 255, 255], [100, 128, 0, 0],
            [126, 255, 255, 255],
            [128, 0, 0, 0], [169, 253, 255, 255], [169, 255, 0, 0], [172, 15, 255, 255], [172, 32, 0, 0],
            [191, 255, 255, 255], [192, 0, 1, 0], [192, 0, 3, 0], [192, 88, 98, 255], [192, 88, 100, 0],
            [192, 167, 255, 255], [192, 169, 0, 0], [198, 17, 255, 255], [198, 20, 0, 0], [198, 51, 99, 255],
            [198, 51, 101, 0], [203, 0, 112, 255], [203, 0, 114, 0], [223, 255, 255, 255],
        ] as [[UInt8]]
    )
    func neighbours(_ address: [UInt8]) {
        #expect(PublicAddress.contains(address))
    }

    @Test(
        "SEC-5: global IPv6 addresses are public",
        arguments: [
            [0x20, 0x01, 0x02], [0x20, 0x01, 0x0d, 0xb7], [0x20, 0x01, 0x0d, 0xb9], [0x20, 0x01, 0x48, 0x60],
            [0x20, 0x03], [0x26, 0x06, 0x47], [0x2a, 0x00, 0x14, 0x50], [0x3f, 0xfe], [0x3f, 0xff, 0x10],
        ] as [[UInt8]]
    )
    func global(_ start: [UInt8]) {
        #expect(PublicAddress.contains(start + [UInt8](repeating: 1, count: 16 - start.count)))
    }

    @Test("SEC-5: an invalid address is not public", arguments: [0, 3, 5, 8, 15, 17])
    func noAddress(size: Int) {
        #expect(!PublicAddress.contains([UInt8](repeating: 0x2a, count: size)))
    }
}
