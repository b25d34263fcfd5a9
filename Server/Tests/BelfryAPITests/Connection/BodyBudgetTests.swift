import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import BelfryWire
import Testing

@testable import BelfryAPI

@Suite("The memory of bodies that are arriving")
struct BodyBudgetTests {
    private static let limits = BodyBudget.Limits(total: 16 * 1_048_576)
    private static let whole = WireLimits.maximumBodyBytes

    @Test("SEC-12: the default is 256 MiB in all, and 64 MiB for unauthenticated callers")
    func standard() {
        #expect(BodyBudget.Limits.standard.total == 256 * 1_048_576)
        #expect(BodyBudget.Limits.standard.unauthenticated == 64 * 1_048_576)
    }

    @Test("SEC-12: unauthenticated callers displace only each other, the longest waiting first")
    func unauthenticated() {
        var budget = BodyBudget(limits: Self.limits)
        #expect(budget.hold(100, bytes: Self.whole, isKnown: true) == [])
        var ended: [UInt64] = []
        for id in 0..<10 as Range<UInt64> { ended += budget.hold(id, bytes: Self.whole, isKnown: false) }
        // Three fit into 4 MiB, with what a connection takes beside.
        #expect(ended == [0, 1, 2, 3, 4, 5, 6])
        #expect(budget.unauthenticatedBytes <= Self.limits.unauthenticated)
        budget.release(7)
        #expect(budget.hold(11, bytes: 1_000, isKnown: false) == [])
        for id in [8, 9, 11, 100] as [UInt64] { budget.release(id) }
        #expect(budget.unauthenticatedBytes == 0 && budget.knownBytes == 0)
    }

    @Test("SEC-12: when all together hold too much, the longest waiting ends, authenticated or not")
    func all() {
        var budget = BodyBudget(limits: Self.limits)
        var ended = budget.hold(0, bytes: Self.whole, isKnown: false)
        for id in 1..<20 as Range<UInt64> { ended += budget.hold(id, bytes: Self.whole, isKnown: true) }
        #expect(ended == [0, 1, 2, 3, 4])
        #expect(budget.unauthenticatedBytes + budget.knownBytes <= Self.limits.total)
    }

    @Test("SEC-12: progress keeps a body; single bytes are no progress")
    func progress() {
        var budget = BodyBudget(limits: Self.limits)
        for id in 0..<3 as Range<UInt64> { #expect(budget.hold(id, bytes: 600_000, isKnown: false) == []) }
        #expect(budget.hold(0, bytes: 600_001, isKnown: false) == [])
        #expect(budget.hold(1, bytes: 700_000, isKnown: false) == [])
        #expect(budget.hold(2, bytes: 600_100, isKnown: false) == [])
        #expect(budget.hold(3, bytes: Self.whole, isKnown: false) == [0])
        #expect(budget.hold(4, bytes: Self.whole, isKnown: false) == [2])
        #expect(budget.hold(5, bytes: Self.whole, isKnown: false) == [1])
    }

    @Test("SEC-12: the charge is the size of a growing buffer, and never more than a whole body")
    func charge() {
        #expect(BodyBudget.charge(forBytes: 0) == BodyBudget.cost + 1)
        #expect(BodyBudget.charge(forBytes: 1_000) == BodyBudget.cost + 1_024)
        #expect(BodyBudget.charge(forBytes: 1_024) == BodyBudget.cost + 1_024)
        #expect(BodyBudget.charge(forBytes: Self.whole - 1) == BodyBudget.cost + Self.whole)
        #expect(BodyBudget.charge(forBytes: 5 * Self.whole) == BodyBudget.cost + Self.whole)
    }

    @Test(
        "SEC-12: in any sequence the sums match, the limits hold, and ended bodies are gone",
        arguments: Endurance.seeds(20, brief: 5)
    )
    func random(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var budget = BodyBudget(limits: Self.limits)
        var live: [UInt64: (bytes: Int, isKnown: Bool)] = [:]
        var next: UInt64 = 0
        for _ in 0..<4_000 {
            let known = live.keys.sorted()
            switch Int.random(in: 0..<10, using: &dice) {
            case 0:
                guard let id = known.randomElement(using: &dice) else { continue }
                live[id] = nil
                budget.release(id)
            case 1...3:
                next += 1
                live[next] = (0, Bool.random(using: &dice))
                fallthrough
            default:
                guard let id = live.keys.sorted().randomElement(using: &dice), let old = live[id] else { continue }
                live[id]?.bytes = old.bytes + Int.random(in: 0...300_000, using: &dice)
                let ended = budget.hold(id, bytes: live[id]?.bytes ?? 0, isKnown: old.isKnown)
                for id in ended {
                    #expect(live[id] != nil, "\(id) has ended twice")
                    live[id] = nil
                }
            }
            #expect(budget.unauthenticatedBytes <= Self.limits.unauthenticated)
            #expect(budget.unauthenticatedBytes + budget.knownBytes <= Self.limits.total)
            // A request that has begun holds nothing before its first part is noted.
            let sum = live.values.map { BodyBudget.charge(forBytes: $0.bytes) }.reduce(0, +)
            #expect(budget.unauthenticatedBytes + budget.knownBytes <= sum)
        }
        for id in live.keys { budget.release(id) }
        #expect(budget.unauthenticatedBytes == 0 && budget.knownBytes == 0)
    }

    @Test("SEC-12: the waiting list does not grow with the number of progress reports")
    func line() {
        var line = WaitingLine()
        for turn in 0..<10_000 as Range<UInt64> {
            line.append(.init(id: turn % 5, turn: turn))
            line.tidy(beyond: 74) { $0.turn + 5 > turn }
            #expect(line.count <= 75)
        }
        #expect(line.first { $0.turn + 5 > 9_999 } == .init(id: 0, turn: 9_995))
    }
}
