import NIOCore
import Synchronization
import Testing

@testable import BelfryAPI

@Suite("The memory of responses")
struct ResponseMemoryTests {
    private final class Ended: Sendable {
        let names = Mutex<[String]>([])

        func note(_ name: String) -> @Sendable () -> Void { { self.names.withLock { $0.append(name) } } }
        var all: [String] { names.withLock { $0 } }
    }

    @Test("SEC-12: beyond the maximum the slowest client ends, of several the one with the longest response")
    func slowest() {
        let memory = ResponseMemory(maximum: 100)
        let ended = Ended()
        func begin(_ name: String, _ bytes: Int, _ time: UInt64) -> UInt64 {
            memory.begin(bytes: bytes, since: .uptimeNanoseconds(time), end: ended.note(name))
        }
        let slow = begin("slow", 10, 1)
        let large = begin("large", 60, 2)
        _ = begin("small", 30, 2)
        #expect(ended.all.isEmpty && memory.bytes == 100)
        // It reads, and is the newest then.
        memory.hold(slow, bytes: 11, since: .uptimeNanoseconds(3))
        #expect(ended.all == ["large"] && memory.bytes == 41)
        memory.hold(large, bytes: 1_000, since: .uptimeNanoseconds(4))
        memory.release(large)
        #expect(memory.bytes == 41, "what has ended counts no longer")
        _ = begin("huge", 101, 9)
        #expect(ended.all == ["large", "small", "slow", "huge"] && memory.bytes == 0)
    }
}
