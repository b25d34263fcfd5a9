import Testing

@testable import BelfryServices

struct AppMemoryTests {
    private static let overhead = AppMemory<Int, Int>.overhead

    @Test("SEC-8: it holds no more bytes than it may, whatever is kept and removed")
    func bytes() {
        let maximum = 64 * Self.overhead
        var memory = AppMemory<Int, Int>(maximumBytes: maximum)
        for number in 0..<1_000 {
            memory.insert(number, for: number % 90, of: Int64(number % 7), size: number * 31 % 9_000)
            #expect(memory.bytes <= maximum)
            if number % 13 == 0 { memory.remove(number % 11, of: Int64(number % 5)) }
            if number % 101 == 0 { memory.removeAll(of: Int64(number % 7)) }
        }
        for app in 0..<7 as Range<Int64> { memory.removeAll(of: app) }
        #expect(memory.bytes == 0)
        // What has no room at all is not kept.
        memory.insert(1, for: 1, of: 1, size: maximum)
        #expect(memory.bytes == 0 && memory.find(1, of: 1) == nil)
    }

    @Test("SEC-8: an app that needs much takes the room from itself")
    func shares() {
        var memory = AppMemory<Int, Int>(maximumBytes: 100 * Self.overhead)
        for key in 0..<10 { memory.insert(key, for: key, of: 1, size: 0) }
        for key in 0..<10_000 { memory.insert(key, for: key, of: 2, size: key % 3 * Self.overhead) }
        for key in 0..<10 { #expect(memory.find(key, of: 1) == key) }
        #expect(memory.find(9_999, of: 2) == 9_999 && memory.find(0, of: 2) == nil)
    }

    @Test("SEC-8: of one app that goes first which was used least recently, and the same key replaces its value")
    func leastRecentlyUsed() {
        var memory = AppMemory<Int, String>(maximumBytes: 3 * Self.overhead)
        for key in 1...3 { memory.insert("\(key)", for: key, of: 1, size: 0) }
        #expect(memory.find(1, of: 1) == "1")
        memory.insert("4", for: 4, of: 1, size: 0)
        #expect(memory.find(2, of: 1) == nil)
        #expect(memory.find(1, of: 1) == "1" && memory.find(3, of: 1) == "3")
        memory.insert("new", for: 3, of: 1, size: 0)
        #expect(memory.find(3, of: 1) == "new" && memory.find(4, of: 1) == "4")
        #expect(memory.find(3, of: 2) == nil)
    }
}
