import BelfryTestSupport
import Testing

@testable import BelfryServices

struct RecentMemoryTests {
    @Test("REL-7: what is looked for all the time stays, and what came once goes, however many come")
    func generations() {
        var memory = RecentMemory<Int, Int>(maximumCount: 16_384)
        for key in 0..<500 { memory.insert(key, for: key) }
        var largest = 0
        for round in 0..<200 {
            memory.insert(-round, for: 1_000 + round)
            for key in 0..<500 { #expect(memory.find(key) == key) }
            largest = max(largest, memory.count)
        }
        #expect(largest < 560, "\(largest) entries")
        #expect(memory.find(1_000) == nil && memory.find(1_199) == -199)
    }

    @Test("SEC-2: however many different ones come, no more are kept than allowed", arguments: [1, 2, 10, 1_000])
    func bounded(maximum: Int) {
        var memory = RecentMemory<Int, Int>(maximumCount: maximum)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let key = Int.random(in: 0..<5_000, using: &generator)
            if let value = memory.find(key) {
                #expect(value == key)
            } else {
                memory.insert(key, for: key)
            }
            #expect(memory.count <= max(1, maximum))
        }
    }

    @Test("SEC-2: what is not found ends no generation, however often somebody asks for it")
    func misses() {
        var memory = RecentMemory<Int, Int>(maximumCount: 100)
        memory.insert(1, for: 1)
        for key in 2..<100_000 { #expect(memory.find(key) == nil) }
        #expect(memory.find(1) == 1 && memory.count == 1)
    }

    @Test("REL-7: a value that is inserted again replaces the former one")
    func replaced() {
        var memory = RecentMemory<String, Int>(maximumCount: 4)
        memory.insert(1, for: "a")
        memory.insert(2, for: "b")
        memory.insert(3, for: "a")
        #expect(memory.find("a") == 3 && memory.find("b") == 2 && memory.count == 2)
    }
}
