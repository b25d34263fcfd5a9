import BelfryServerTestSupport
import Testing

@testable import BelfryStore

/// The order of questions, and which are rejected.
struct WaitingQuestionsTests {
    private static func questions(_ change: (inout QuestionLimits) -> Void = { _ in }) -> WaitingQuestions {
        var limits = QuestionLimits.standard
        change(&limits)
        return WaitingQuestions(limits: limits)
    }

    @Test("SEC-8: one count of an app runs at a time, in parallel with another app's; more wait")
    func places() {
        var questions = Self.questions()
        let first = questions.add(.counting(app: 1))
        let second = questions.add(.counting(app: 1))
        let other = questions.add(.counting(app: 2))
        let third = questions.add(.counting(app: 3))
        #expect([first, second, other, third].map(\.1) == [.now, .later, .now, .later])
        // The end of a question lets another group go first.
        #expect(questions.end(first.id) == [third.id])
        #expect(questions.end(other.id) == [second.id])
    }

    @Test("FLEET-11: how many are under way and how many wait is known at any time")
    func use() {
        var questions = Self.questions()
        #expect(questions.use == QuestionLaneUse(underWay: 0, waiting: 0))
        let first = questions.add(.counting(app: 1))
        let second = questions.add(.counting(app: 1))
        let plan = questions.add(.planning)
        #expect(questions.use == QuestionLaneUse(underWay: 2, waiting: 1))
        #expect(questions.end(first.id) == [second.id])
        #expect(questions.use == QuestionLaneUse(underWay: 2, waiting: 0))
        for id in [second.id, plan.id] { _ = questions.end(id) }
        #expect(questions.use == QuestionLaneUse(underWay: 0, waiting: 0))
    }

    @Test("SEC-8: planning has its own place, whatever else runs")
    func planning() {
        var questions = Self.questions()
        for app in 1...9 { _ = questions.add(.counting(app: Int64(app))) }
        let first = questions.add(.planning)
        let second = questions.add(.planning)
        #expect(first.1 == .now && second.1 == .later)
        #expect(questions.end(first.id) == [second.id])
    }

    @Test("CON-13: a launch is planned at once while a rehearsal is under way, on each of its pages")
    func rehearsing() {
        var questions = Self.questions { $0.places = 1 }
        for _ in 1...100 {
            let page = questions.add(.rehearsing)
            let plan = questions.add(.planning)
            #expect(page.1 == .now && plan.1 == .now)
            #expect(questions.end(plan.id) == [] && questions.end(page.id) == [])
        }
    }

    @Test("CON-13, SEC-8: rehearsals take turns with callers, and are never refused")
    func turns() {
        var questions = Self.questions {
            $0.places = 1
            $0.waiting = 2
        }
        let page = questions.add(.rehearsing)
        let callers = [questions.add(.counting(app: 1)), questions.add(.looking(device: 7, app: 2))]
        let next = questions.add(.rehearsing)
        #expect(page.1 == .now && callers.map(\.1) == [.later, .later] && next.1 == .later)
        #expect(questions.add(.counting(app: 3)).1 == .rejected)
        #expect(questions.end(page.id) == [callers[0].id], "whoever waits goes before its next page")
        #expect(questions.end(callers[0].id) == [callers[1].id])
        #expect(questions.end(callers[1].id) == [next.id])
    }

    @Test("SEC-8: a device has one query at a time, and the next when that has ended")
    func devices() {
        var questions = Self.questions()
        let first = questions.add(.looking(device: 7, app: 1))
        #expect(questions.add(.looking(device: 7, app: 1)).1 == .rejected)
        let other = questions.add(.looking(device: 8, app: 1))
        #expect(first.1 == .now && other.1 == .later)
        #expect(questions.add(.looking(device: 8, app: 1)).1 == .rejected)
        #expect(questions.end(first.id) == [other.id])
        #expect(questions.add(.looking(device: 7, app: 1)).1 == .later)
    }

    @Test("SEC-8: the number of waiting queries is limited by app and in all; a cancelled one makes room")
    func bounds() {
        var questions = Self.questions {
            $0.waitingCounts = 2
            $0.waiting = 3
        }
        let own = (1...4).map { _ in questions.add(.counting(app: 1)) }
        #expect(own.map(\.1) == [.now, .later, .later, .rejected])
        let others = (1...3).map { _ in questions.add(.counting(app: 2)) }
        #expect(others.map(\.1) == [.now, .later, .rejected])
        let isAbandoned = questions.abandon(own[1].id)
        #expect(isAbandoned && questions.status(of: own[1].id) == .gone)
        #expect(questions.add(.counting(app: 1)).1 == .later)
        let isAbandonedTwice = questions.abandon(own[1].id)
        #expect(!isAbandonedTwice)
    }

    @Test("PERF-6: the second half of a count takes a place only if nobody else waits for one")
    func spare() {
        var questions = Self.questions()
        let first = questions.add(.counting(app: 1))
        let half = questions.add(.spareCounting(app: 1))
        #expect(first.1 == .now && half.1 == .now)
        #expect(questions.add(.spareCounting(app: 1)).1 == .rejected)
        let waiting = questions.add(.counting(app: 2))
        #expect(questions.end(half.id) == [waiting.id])
        #expect(questions.add(.counting(app: 3)).1 == .later)
        _ = questions.end(first.id)
        #expect(questions.add(.spareCounting(app: 1)).1 == .rejected)
    }

    @Test("CON-9, SEC-8: what a device lacks is asked once at a time, if nobody waits, and keeps no device waiting")
    func explaining() {
        var questions = Self.questions()
        let first = questions.add(.explaining)
        #expect(first.1 == .now && questions.add(.explaining).1 == .rejected)
        let look = questions.add(.looking(device: 7, app: 1))
        #expect(look.1 == .now, "a place is left for devices")
        _ = questions.end(first.id)
        let other = questions.add(.counting(app: 1))
        let waiting = questions.add(.counting(app: 2))
        #expect(other.1 == .now && waiting.1 == .later)
        _ = questions.end(look.id)
        #expect(questions.add(.explaining).1 == .rejected, "no place")
        _ = questions.end(other.id)
        #expect(questions.add(.explaining).1 == .now)
    }

    @Test("SEC-8: an app with endless queries keeps no other app waiting for more than one of them")
    func fairness() {
        var questions = Self.questions {
            $0.places = 1
            $0.waitingCounts = 100
        }
        var ends = [questions.add(.counting(app: 1)).id]
        for _ in 1...20 { _ = questions.add(.counting(app: 1)) }
        let other = questions.add(.counting(app: 2)).id
        ends += questions.end(ends[0])
        #expect(ends.last == other)
    }
}
