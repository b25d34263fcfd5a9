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
