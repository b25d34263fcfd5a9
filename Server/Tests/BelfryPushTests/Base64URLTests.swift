import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

struct Base64URLTests {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func decode(_ letters: [UInt8]) -> [UInt8]? {
        // A slice that does not begin at zero, as of a token.
        Base64URL.decode(utf8: ([0x2e] + letters)[1...])
    }

    @Test(
        "WIRE-20, PERF-5: bytes are decoded unchanged, and their text conforms to RFC 4648",
        arguments: 0..<UInt64(4))
    func roundTrip(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
            let text = Base64URL.encode(bytes)
            let standard = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_")
            #expect(text == standard.replacing("=", with: ""))
            #expect(Base64URL.encode(bytes[...]) == text)
            #expect(Base64URL.decode(text) == bytes && Base64URL.decode(Substring(text)) == bytes)
            #expect(Base64URL.decode(standard) == bytes)
            #expect(Self.decode(Array(text.utf8)) == bytes)
            #expect(Base64URL.decodeCanonical(utf8: text.utf8) == bytes)
        }
    }

    @Test("WIRE-20: a character outside of the alphabet makes the whole invalid, wherever it is")
    func wrongLetters() {
        let text = Array("QUJDREVG".utf8)
        for byte in UInt8(0)...255 where !Self.alphabet.contains(byte) && byte != UInt8(ascii: "=") {
            for place in text.indices {
                var wrong = text
                wrong[place] = byte
                #expect(Self.decode(wrong) == nil, "\(byte) at \(place)")
            }
            #expect(Self.decode(text + [byte]) == nil && Self.decode([byte]) == nil, "\(byte)")
        }
    }

    @Test("WIRE-20: a single extra letter is invalid, and padding is complete or absent")
    func lengths() {
        for count in 0...24 {
            let letters = Array(repeating: UInt8(ascii: "A"), count: count)
            #expect((Self.decode(letters) == nil) == (count % 4 == 1), "\(count)")
            #expect(Self.decode(letters).map(\.count) == (count % 4 == 1 ? nil : count * 3 / 4))
            for padding in 1...5 {
                let isWhole = padding < 3 && (count + padding) % 4 == 0 && count % 4 != 1
                let padded = letters + Array(repeating: UInt8(ascii: "="), count: padding)
                #expect((Self.decode(padded) != nil) == isWhole, "\(count) and \(padding)")
                #expect(Base64URL.decodeCanonical(utf8: padded) == nil)
            }
        }
        for text in ["=", "====", "QQ=Q", "Q=QQ", "=QQQ", "QQ==QQ==", "QUI=QUI="] {
            #expect(Base64URL.decode(text) == nil, "\(text)")
        }
    }

    @Test(
        "WIRE-20: of spellings that differ in unused bits, only one is canonical", arguments: ["QQ", "QUI"])
    func spareBits(text: String) {
        let spellings = Self.alphabet.map { Array(text.utf8.dropLast()) + [$0] }
        let same = spellings.filter { Base64URL.decode(utf8: $0[...]) == Base64URL.decode(text) }
        #expect(same.count == (text.utf8.count == 2 ? 16 : 4))
        let canonical = same.filter { Base64URL.decodeCanonical(utf8: $0) != nil }
        #expect(canonical == [Array(text.utf8)])
    }
}
