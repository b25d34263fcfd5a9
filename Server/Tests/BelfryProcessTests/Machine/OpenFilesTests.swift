import Testing

@testable import BelfryCommand

/// How many file handles a process may still open.
struct OpenFilesTests {
    private static func areLeft(_ count: Int, of limit: Int32, used: Set<Int32>) -> Bool {
        OpenFiles.areLeft(count, below: limit) { range in range.count { !used.contains($0) } }
    }

    @Test("REL-6: free handles are counted, wherever they are", arguments: [Int32(40), 64, 100, 1_000])
    func anywhere(limit: Int32) {
        for free in 0..<40 {
            let low = Self.areLeft(32, of: limit, used: Set(Int32(free)..<limit))
            let high = Self.areLeft(32, of: limit, used: Set(0..<(limit - Int32(free))))
            // Every free one lies between two that are used, as far as there is room.
            let gaps = (0..<Int32(free)).map { ($0 * 2) % limit + ($0 * 2 >= limit ? 1 : 0) }
            let between = Self.areLeft(32, of: limit, used: Set(0..<limit).subtracting(gaps))
            #expect(low == (free >= 32) && high == (free >= 32) && between == (free >= 32), "\(free)")
        }
    }

    @Test("REL-6: one that stays high up does not hide the free ones below it")
    func high() {
        let used = Set(Int32(0)..<100).union([992])
        #expect(Self.areLeft(32, of: 1_024, used: used))
        #expect(!Self.areLeft(924, of: 1_024, used: used) && Self.areLeft(923, of: 1_024, used: used))
    }
}
