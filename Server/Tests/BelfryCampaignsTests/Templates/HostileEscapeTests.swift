import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryCampaigns

struct HostileEscapeTests {
    @Test("SEC-7, CAMP-4: a value in HTML contains no delimiter, whatever marks are next to one")
    func html() {
        for text in HostileText.all {
            var escaped = ""
            TextEscape.html.append(text, to: &escaped)
            #expect(!escaped.utf8.contains { "<>\"'\0".utf8.contains($0) }, "\(text.debugDescription)")
            let entities = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
            var bytes = escaped.utf8[...]
            var again: [UInt8] = []
            while let byte = bytes.first {
                let entity = entities.first { bytes.starts(with: $0.key.utf8) }
                if byte == UInt8(ascii: "&") { #expect(entity != nil, "\(text.debugDescription)") }
                again += entity.map { Array($0.value.utf8) } ?? [byte]
                bytes = bytes.dropFirst(entity?.key.utf8.count ?? 1)
            }
            let expected = text.unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : String($0) }.joined()
            #expect(again.elementsEqual(expected.utf8), "\(text.debugDescription)")
        }
    }

    @Test("SEC-7, CAMP-4: a value in an address contains no delimiter, and is decoded unchanged")
    func addresses() {
        for text in HostileText.all {
            var escaped = ""
            TextEscape.url.append(text, to: &escaped)
            #expect(escaped.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(text.debugDescription)")
            #expect(!escaped.utf8.contains { "/?#&=+;:'\"<>\\".utf8.contains($0) }, "\(text.debugDescription)")
            #expect(WireURL.decoded(escaped)?.utf8.elementsEqual(text.utf8) == true, "\(text.debugDescription)")
        }
    }
}
