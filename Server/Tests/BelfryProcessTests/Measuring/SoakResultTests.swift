import Testing

@testable import BelfryBench

@Suite("The result of a soak")
struct SoakResultTests {
    /// Sixty samples; `change` says what differs in those of the last sixth.
    private func samples(
        memory: Double = 1, files: Int = 0, p99: Double = 1, warmUp: Double = 1
    ) -> [SoakSample] {
        (0..<60).map { number in
            let isLate = number >= 50
            let factor = number < 10 ? warmUp : isLate ? memory : 1
            return SoakSample(
                seconds: Double(number) * 10, memoryBytes: Int(50_000_000 * factor),
                openFiles: 40 + (isLate ? files : 0),
                milliseconds: [
                    .events: [Double](repeating: 1, count: 98), .badge: [10, 10 * (isLate ? p99 : 1)],
                ],
                failures: 0
            )
        }
    }

    @Test("REL-7: level figures are good, whatever the warm-up was like")
    func level() {
        #expect(SoakResult(samples()).isMet)
        #expect(SoakResult(samples(warmUp: 0.3)).isMet)
        #expect(SoakResult(samples(memory: 1.09, files: 16, p99: 1.19)).isMet)
    }

    @Test("REL-7: memory, files and response times that grow are each a failure")
    func growth() {
        #expect(!SoakResult(samples(memory: 1.12)).isMet)
        #expect(!SoakResult(samples(files: 17)).isMet)
        #expect(!SoakResult(samples(p99: 1.25)).isMet)
    }

    @Test("REL-7: the actions of devices share a hundred calls")
    func shares() {
        #expect(SoakAction.allCases.map(\.share).reduce(0, +) == 100)
        let drawn = Dictionary(grouping: 0..<100, by: SoakAction.chosen(by:)).mapValues(\.count)
        for action in SoakAction.allCases { #expect(drawn[action] == action.share) }
    }
}
