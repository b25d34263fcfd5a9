import Testing

@testable import BelfrySimulators

@Suite("Fault plan")
struct FaultPlanTests {
    @Test("PUSH-4: the same seed gives the same faults to the same requests", arguments: [0, 1, 7, UInt64.max])
    func replay(_ seed: UInt64) throws {
        let rates: [FaultPlan.Fault: Double] = [.tooManyRequests: 0.1, .noAnswer: 0.1, .connectionLostAfter: 0.1]
        let one = try FaultPlan(seed: seed, rates: rates)
        let same = try FaultPlan(seed: seed, rates: rates)
        let other = try FaultPlan(seed: seed ^ 1, rates: rates)
        let numbers: ClosedRange<UInt64> = 1...1_000
        let errors = numbers.map { one.fault(forRequest: $0) }
        #expect(errors == numbers.map { same.fault(forRequest: $0) })
        #expect(errors != numbers.map { other.fault(forRequest: $0) })
    }

    @Test("PUSH-4: faults are as frequent as their rates")
    func rates() throws {
        let plan = try FaultPlan(seed: 3, rates: [.internalServerError: 0.2, .slowAnswer: 0.05])
        var counts: [FaultPlan.Fault: Int] = [:]
        for number in 1...UInt64(20_000) {
            guard let fault = plan.fault(forRequest: number) else { continue }
            counts[fault, default: 0] += 1
        }
        #expect((3_800...4_200).contains(counts[.internalServerError] ?? 0))
        #expect((850...1_150).contains(counts[.slowAnswer] ?? 0))
        #expect(counts.count == 2)
    }

    @Test("PUSH-4: a rate of 1 applies to every request, no rates to none")
    func extremes() throws {
        let always = try FaultPlan(seed: 5, rates: [.shutdown: 1])
        for number in 0...UInt64(1_000) {
            #expect(always.fault(forRequest: number) == .shutdown)
            #expect(FaultPlan.none.fault(forRequest: number) == nil)
        }
    }

    @Test("PUSH-4: an invalid plan is refused with the field")
    func invalid() {
        let fields = [
            field { try FaultPlan(seed: 0, rates: [.noAnswer: 1.1]) },
            field { try FaultPlan(seed: 0, rates: [.noAnswer: -0.1]) },
            field { try FaultPlan(seed: 0, rates: [.noAnswer: .nan]) },
            field { try FaultPlan(seed: 0, rates: [.noAnswer: 0.6, .shutdown: 0.6]) },
            field { try FaultPlan(seed: 0, slowAnswer: .seconds(61)) },
            field { try FaultPlan(seed: 0, goAwayAfter: 0) },
            field { try FaultPlan(seed: 0, silentAfter: -1) },
            field { try FaultPlan(seed: 0, latency: .seconds(61)) },
            field { try FaultPlan(seed: 0, retryAfter: -1) },
        ]
        let expected = [
            "rates.noAnswer", "rates.noAnswer", "rates.noAnswer", "rates", "slowAnswerMilliseconds", "goAwayAfter",
            "silentAfter", "latencyMilliseconds", "retryAfterSeconds",
        ]
        #expect(fields == expected)
        #expect(throws: SimulatorError.self) { try FaultPlan.Fault(named: "rain") }
    }

    @Test("PUSH-4: every response has the latency, and slow ones more")
    func latency() throws {
        let plan = try FaultPlan(
            seed: 1, rates: [.slowAnswer: 0.5], slowAnswer: .milliseconds(20), latency: .milliseconds(5)
        )
        let draws = FaultDraws(plan)
        let delays = Set((0..<100).map { _ in draws.draw().delay })
        #expect(delays == [.milliseconds(5), .milliseconds(25)])
    }

    @Test("REL-2: a service falls silent after so many requests, counted from when the plan is set")
    func silence() throws {
        let plan = try FaultPlan(seed: 1, silentAfter: 2)
        let draws = FaultDraws(.none)
        _ = draws.draw()
        draws.set(plan)
        #expect((0..<4).map { _ in draws.draw().fault } == [nil, nil, .noAnswer, .noAnswer])
        draws.set(plan)
        #expect(draws.draw().fault == nil, "the same plan, set again, begins again")
        draws.set(.none)
        #expect((0..<4).allSatisfy { _ in draws.draw().fault == nil })
    }

    private func field(_ make: () throws -> FaultPlan) -> String? {
        do {
            _ = try make()
            return nil
        } catch {
            return (error as? SimulatorError)?.field
        }
    }
}
