import BelfryTestSupport
import Foundation
import Testing

/// The fuzz targets without a fuzzer: their corpora, every short input, and the dictionary.
@Suite struct CorpusTests {
    private static let targets = FuzzTarget.all.map(\.name)

    @Test("REL-5: every target has a corpus, and every corpus a target")
    func corporaAndTargets() throws {
        #expect(try Corpora.names() == Self.targets.sorted())
    }

    @Test("REL-5: no file of a corpus crashes a decoder or violates an invariant", arguments: targets)
    func corpus(of name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let files = try Corpora.files(of: name)
        #expect(!files.isEmpty)
        for file in files {
            await Task.yield()
            #expect(throws: Never.self, "\(name)/\(file.name)") { try target.run(file.bytes) }
        }
    }

    @Test("REL-5: nor does any byte, or up to three significant ones", arguments: targets)
    func shortInputs(of name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let telling = Array("0\"'<{[:-,.\\ Za".utf8) + [0x00, 0x1E, 0x80, 0xE2, 0xFF]
        let fewer = telling.prefix(Endurance.isOn ? 8 : 2)
        let pairs = telling.prefix(Endurance.isOn ? telling.count : 5)
        var inputs: [[UInt8]] = [[]] + (Endurance.isOn ? Array(UInt8.min...UInt8.max) : telling).map { [$0] }
        for first in pairs { inputs += pairs.map { [first, $0] } }
        for first in fewer {
            for second in fewer { inputs += fewer.map { [first, second, $0] } }
        }
        try await run(target, inputs)
    }

    @Test("REL-5: nor does hostile Unicode, alone, in pairs and inside ordinary text", arguments: targets)
    func dictionary(of name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let words = try Corpora.dictionary()
        #expect(words.count > 40)
        // The first ones join what stands beside them. The fuzzer tries all the rest.
        var inputs = words
        for hostile in words.prefix(Endurance.isOn ? 12 : 0) {
            inputs += words.flatMap { [hostile + $0, $0 + hostile] }
        }
        for (number, file) in try Corpora.files(of: name).enumerated() where file.bytes.count < 4_096 {
            for index in stride(from: number, to: number + words.count, by: Endurance.isOn ? 1 : 17) {
                let word = words[index % words.count]
                // Another place for each word, spread over the whole.
                let place = index * 7_919 % (file.bytes.count + 1)
                inputs.append(file.bytes.prefix(place) + word + file.bytes.dropFirst(place))
            }
        }
        try await run(target, inputs)
    }

    /// One finding is told, and not a thousand of one kind. Between two inputs other tests get their turn: a deadline of
    /// theirs would pass while these hold every thread.
    private func run(_ target: FuzzTarget, _ inputs: [[UInt8]]) async throws {
        for input in inputs {
            await Task.yield()
            do {
                try target.run(input)
            } catch {
                Issue.record("\(target.name), \(Corpora.shown(input)): \(error)")
                return
            }
        }
    }
}
