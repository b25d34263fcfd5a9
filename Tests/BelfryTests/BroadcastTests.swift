import Testing

@testable import Belfry

struct BroadcastTests {
    private func heard(_ stream: AsyncStream<Int>) async -> [Int] {
        var heard: [Int] = []
        for await number in stream {
            heard.append(number)
        }
        return heard
    }

    @Test("MC-11: each listener gets the elements from then on, the newest if there are many, and the end")
    func listeners() async {
        let broadcast = Broadcast<Int>(maximumWaiting: 3)
        broadcast.send(0)
        let first = broadcast.listen()
        broadcast.send(1)
        let second = broadcast.listen()
        for number in 2...5 { broadcast.send(number) }
        broadcast.finish()
        broadcast.send(6)
        #expect(await heard(first) == [3, 4, 5])
        #expect(await heard(second) == [3, 4, 5])
        #expect(await heard(broadcast.listen()).isEmpty)
    }

    @Test("MC-11: a waiting listener is woken by an element, and by a cancellation")
    func waiting() async {
        let broadcast = Broadcast<Int>(maximumWaiting: 3)
        let stream = broadcast.listen()
        let listening = Task {
            for await number in stream { return number }
            return -1
        }
        await Task.yield()
        broadcast.send(7)
        #expect(await listening.value == 7)
        let endless = broadcast.listen()
        let cancelled = Task { await heard(endless) }
        await Task.yield()
        cancelled.cancel()
        #expect(await cancelled.value.isEmpty)
    }

    @Test("MC-11: the streams end when the broadcast is gone", .timeLimit(.minutes(10)))
    func gone() async {
        var broadcast: Broadcast<Int>? = Broadcast(maximumWaiting: 3)
        guard let stream = broadcast?.listen() else { return }
        broadcast?.send(1)
        broadcast = nil
        #expect(await heard(stream) == [1])
    }

    @Test("MC-12: elements that nobody has received yet can be removed")
    func purge() async {
        let broadcast = Broadcast<Int>(maximumWaiting: 3)
        let stream = broadcast.listen()
        broadcast.send(1)
        broadcast.purge()
        broadcast.send(2)
        broadcast.finish()
        #expect(await heard(stream) == [2])
    }
}
