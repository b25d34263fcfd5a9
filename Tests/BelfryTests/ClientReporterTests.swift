import Testing

@testable import Belfry

struct ClientReporterTests {
    private func set(_ count: Int) -> ClientReport {
        .eventsSetAside(count: count, reason: "test")
    }

    private func heard(_ stream: AsyncStream<ClientReport>) async -> [ClientReport] {
        var heard: [ClientReport] = []
        for await report in stream {
            heard.append(report)
        }
        return heard
    }

    @Test("REG-14: two may listen at the same time, and each gets the reports from then on")
    func two() async {
        let reporter = ClientReporter()
        reporter.report(set(1))
        let first = reporter.listen()
        let second = reporter.listen()
        async let heardFirst = heard(first)
        async let heardSecond = heard(second)
        reporter.report(set(2))
        reporter.report(set(3))
        reporter.finish()
        #expect(await heardFirst == [set(1), set(2), set(3)])
        #expect(await heardSecond == [set(2), set(3)])
    }

    @Test("REG-14: without a listener the newest hundred wait, also beyond the end")
    func waiting() async {
        let reporter = ClientReporter()
        for number in 1...150 {
            reporter.report(set(number))
        }
        reporter.finish()
        reporter.report(set(151))
        let expected = (51...150).map { set($0) }
        #expect(await heard(reporter.listen()) == expected)
        #expect(await heard(reporter.listen()).isEmpty)
    }

    @Test("REG-14: the next listener gets the reports after one has stopped")
    func gone() async {
        let reporter = ClientReporter()
        let listening = Task { await heard(reporter.listen()) }
        listening.cancel()
        _ = await listening.value
        reporter.report(set(1))
        reporter.finish()
        #expect(await heard(reporter.listen()) == [set(1)])
    }

    @Test("REG-14: only an error of the storage is reported as one, and a stopped client is not reported")
    func failures() async {
        let reporter = ClientReporter()
        let storage = BelfryError(.storageUnavailable, "no space")
        let event = BelfryError(.invalidEvent, "too long")
        for error in [storage, BelfryError.stopped, event] {
            reporter.failed(error)
        }
        reporter.finish()
        #expect(await heard(reporter.listen()) == [.storageFailed(storage), .callFailed(event)])
    }

    @Test("PUSH-22: forwarded calls are performed one after the other, in their order")
    func order() async {
        let work = OrderedWork()
        let done = Locked<[Int]>([])
        await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
            for number in 0..<200 {
                work.add {
                    for _ in 0..<(number % 7) { await Task.yield() }
                    done.withLock { $0.append(number) }
                    if number == 199 { finished.resume() }
                }
            }
        }
        #expect(done.withLock { $0 } == Array(0..<200))
    }
}
