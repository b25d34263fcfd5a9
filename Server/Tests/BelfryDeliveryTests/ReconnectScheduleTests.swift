import NIOCore
import Testing

@testable import BelfryDelivery

@Suite struct ReconnectScheduleTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func makeSchedule() -> ReconnectSchedule {
        ReconnectSchedule(firstDelay: .milliseconds(100), maximumDelay: .seconds(1))
    }

    @Test("PUSH-4: the first attempt may be made at once, and so may one after a response")
    func atOnce() {
        var schedule = makeSchedule()
        #expect(schedule.notBefore <= start)
        schedule.failed(startedAt: start, now: start, jitter: 0)
        #expect(schedule.notBefore > start)
        schedule.succeeded()
        #expect(schedule.notBefore <= start)
        #expect(schedule.failures == 0)
    }

    @Test("PUSH-4: the wait doubles with each failure up to its maximum")
    func doubles() {
        var schedule = makeSchedule()
        var now = start
        var waits: [TimeAmount] = []
        for _ in 0..<6 {
            schedule.failed(startedAt: now, now: now, jitter: 1)
            waits.append(schedule.notBefore - now)
            now = schedule.notBefore
        }
        #expect(
            waits == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1),
                .seconds(1),
            ]
        )
    }

    @Test("PUSH-4: half of the wait is jitter", arguments: [(0.0, 50), (0.5, 75), (1.0, 100)])
    func jitter(jitter: Double, milliseconds: Int) {
        var schedule = makeSchedule()
        schedule.failed(startedAt: start, now: start, jitter: jitter)
        #expect(schedule.notBefore == start + .milliseconds(Int64(milliseconds)))
    }

    @Test("PUSH-4: attempts that were made in parallel count once")
    func sideBySide() {
        var schedule = makeSchedule()
        schedule.failed(startedAt: start, now: start + .milliseconds(5), jitter: 1)
        let notBefore = schedule.notBefore
        schedule.failed(startedAt: start, now: start + .milliseconds(6), jitter: 1)
        #expect(schedule.failures == 1)
        #expect(schedule.notBefore == notBefore)
    }

    @Test("PUSH-4: after a thousand failures the wait is still the maximum")
    func many() {
        var schedule = makeSchedule()
        for _ in 0..<1_000 { schedule.failed(startedAt: start, now: start, jitter: 1) }
        #expect(schedule.notBefore == start + .seconds(1))
    }
}
