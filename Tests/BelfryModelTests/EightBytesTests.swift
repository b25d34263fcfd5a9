import BelfryTestSupport
import Testing

@testable import BelfryModel

struct EightBytesTests {
    @Test(
        "SEC-6, SEC-7: eight bytes are seen together as they are one by one",
        arguments: Endurance.seeds(20, brief: 2))
    func equal(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let bytes = (0..<12).map { _ in
                Bool.random(using: &dice)
                    ? UInt8(ascii: "a") : UInt8.random(in: UInt8.min...UInt8.max, using: &dice)
            }
            bytes.withUnsafeBufferPointer { buffer in
                for start in 0...bytes.count {
                    guard let together = EightBytes(buffer, at: start) else {
                        #expect(start > 4)
                        continue
                    }
                    let single = bytes[start..<(start + 8)]
                    let plain = single.prefix { $0 >= 0x20 && $0 < 0x80 && $0 != 0x22 && $0 != 0x5c }
                    #expect(together.plainJSONText == plain.count, "\(single)")
                    let unescaped = single.prefix { $0 < 0x80 && $0 != 0x5c }
                    #expect(together.unescapedASCII == unescaped.count, "\(single)")
                    let isEscaped = single.contains { $0 < 0x20 || [0x22, 0x5c, 0x2f].contains($0) }
                    #expect(together.isEscapedInJSON == isEscaped, "\(single)")
                }
            }
        }
    }
}
