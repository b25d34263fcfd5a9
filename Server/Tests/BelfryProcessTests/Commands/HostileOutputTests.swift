import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import InMemoryLogging
import Logging
import Testing

@testable import BelfryCommand

struct HostileOutputTests {
    @Test("SEC-7: a text stays one segment of an address, and is decoded unchanged")
    func pathSegments() {
        for text in HostileText.all {
            let segment = text.pathSegment
            #expect(segment.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(text.debugDescription)")
            #expect(!segment.utf8.contains { "/?#&=+;:'\"<>\\".utf8.contains($0) }, "\(text.debugDescription)")
            #expect(WireURL.decoded(segment)?.utf8.elementsEqual(text.utf8) == true, "\(text.debugDescription)")
        }
    }

    @Test("SEC-7: printed text is one line, without control sequences")
    func printed() {
        for text in HostileText.all {
            let printed = text.printable
            #expect(!printed.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(!printed.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "\(text.debugDescription)")
            var table = TextTable("A", "B")
            table.add(text, "b")
            #expect(table.text.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 2, "\(text.debugDescription)")
        }
    }

    @Test("SEC-7: printed JSON has no control sequences either, and says the same")
    func printedJSON() throws {
        for text in HostileText.all + ["\u{9b}31m\u{7f}\u{202e}\u{2028}"] {
            let json = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self).printableJSON
            let steers = json.unicodeScalars.contains {
                $0.properties.generalCategory == .control || $0 == "\u{202e}" || $0 == "\u{2028}"
            }
            #expect(!steers, "\(text.debugDescription)")
            let read = try JSONDecoder().decode([String].self, from: Data(json.utf8))
            let bytes = read.map { Array($0.utf8) }
            #expect(bytes == [Array(text.utf8)], "\(text.debugDescription)")
        }
    }

    @Test("SEC-7: JSON that comes in pieces says the same wherever they end, without control sequences")
    func printedPieces() throws {
        let texts = HostileText.all + ["\u{9b}31m\u{7f}\u{202e}\u{2028}", "e\u{301}日本\u{1f600}"]
        let json = try JSONEncoder().encode(texts)
        let expected = Array(String(decoding: json, as: UTF8.self).printableJSON.utf8)
        for size in [1, 2, 3, 5, 7, json.count] {
            var pieces = PrintableJSONPieces()
            var printed = Data()
            for start in stride(from: 0, to: json.count, by: size) {
                printed += pieces.take(Data(json[start..<min(start + size, json.count)]))
            }
            printed += pieces.end()
            let bytes = Array(printed)
            #expect(bytes == expected, "\(size)")
        }
        // What is no text does not hold it up.
        var pieces = PrintableJSONPieces()
        let replaced = pieces.take(Data([0xff, 0x80, 0x80, 0x80, 0x41, 0xe2])) + pieces.end()
        let text = String(decoding: replaced, as: UTF8.self)
        #expect(text.hasSuffix("A\u{fffd}"), "\(text.debugDescription)")
    }

    @Test("SEC-7: what an answer is shown as has its own lines, and steers no terminal whatever a server has said")
    func printedLines() {
        for text in HostileText.all + ["\u{9b}31m\u{7f}\u{202e}\u{2028}", "a\r\nb\u{1b}[2J"] {
            let printed = "first\n\(text)\n\nlast".printableLines
            let steers = printed.unicodeScalars.contains {
                $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202e}" || $0 == "\u{2028}")
            }
            #expect(!steers, "\(text.debugDescription)")
            let breaks = printed.utf8.count { $0 == UInt8(ascii: "\n") }
            let expected = 3 + text.utf8.count { $0 == UInt8(ascii: "\n") }
            #expect(breaks == expected, "\(text.debugDescription)")
        }
        let plain = "NAME  COUNT\n────  ─────\nAnn\u{e9}  2\n"
        #expect(plain.printableLines == plain)
    }

    @Test("SEC-7: an entry of the log is one line, whatever it contains")
    func logged() {
        let memory = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in OneLineLogHandler(memory) }
        for text in HostileText.all {
            logger.error(
                "\(text)", metadata: ["a": "\(text)", "b": ["\(text)"], "c": ["d": .stringConvertible(text)]]
            )
        }
        #expect(memory.entries.count == HostileText.all.count)
        for entry in memory.entries {
            let line = "\(entry.message) \(entry.metadata)"
            #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "\(line)")
        }
    }
}
