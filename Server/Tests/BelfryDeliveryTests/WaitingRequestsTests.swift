import BelfryPush
import NIOCore
import Testing

@testable import BelfryDelivery

@Suite struct WaitingRequestsTests {
    private let deadline = NIODeadline.uptimeNanoseconds(5)

    private func makeBatch(_ count: Int) -> PushBatch {
        PushBatch(requests: (0..<count).map { PushRequest.numbered($0) }, deadline: nil) { _, _ in }
    }

    @Test("PUSH-6: no more requests wait than the limit allows")
    func limit() {
        var waiting = WaitingRequests(limit: 5)
        #expect(waiting.append(makeBatch(3), deadline: deadline) == 3)
        #expect(waiting.append(makeBatch(3), deadline: deadline) == 2)
        #expect(waiting.append(makeBatch(3), deadline: deadline) == 0)
        #expect(waiting.count == 5)
    }

    @Test("PUSH-4: requests leave in the order of their arrival, each once")
    func order() {
        var waiting = WaitingRequests(limit: 100)
        let batches = [makeBatch(2), makeBatch(1), makeBatch(3)]
        for batch in batches { _ = waiting.append(batch, deadline: deadline) }
        var left: [[Int]] = [[], [], []]
        while let next = waiting.popFirst() {
            if let place = batches.firstIndex(where: { $0 === next.batch }) { left[place].append(next.index) }
        }
        #expect(left == [[0, 1], [0], [0, 1, 2]])
        #expect(waiting.isEmpty)
    }

    @Test("PUSH-4: a request that is put back comes first again")
    func putBack() throws {
        var waiting = WaitingRequests(limit: 100)
        _ = waiting.append(makeBatch(3), deadline: deadline)
        let popped = waiting.popFirst()
        let first = try #require(popped)
        waiting.putBack(first)
        #expect(waiting.count == 3)
        #expect(waiting.popFirst()?.index == 0)
        #expect(waiting.popFirst()?.index == 1)
    }

    @Test("PUSH-4: late requests leave, the rest stays")
    func late() {
        var waiting = WaitingRequests(limit: 100)
        _ = waiting.append(makeBatch(3), deadline: .uptimeNanoseconds(10))
        _ = waiting.append(makeBatch(2), deadline: .uptimeNanoseconds(20))
        _ = waiting.popFirst()
        let late = waiting.removeLate(at: .uptimeNanoseconds(10))
        #expect(late.map { $0.next..<$0.end } == [1..<3])
        #expect(waiting.count == 2)
        #expect(waiting.removeAll().map { $0.next..<$0.end } == [0..<2])
        #expect(waiting.isEmpty)
    }
}
