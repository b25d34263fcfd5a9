import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// A recorded day of an app, in which the device dies at every write of its store and at every request (REL-3);
/// `make test` tries some of these places, `make endurance` all.
struct CrashPointTests {
    /// So that the runs share the cores; each takes every fourth place.
    static let slices = 4

    /// The writes and the requests of a day without any error. The day is always the same, so it is lived once.
    private static let story = Task {
        let life = try await Self.undisturbed()
        let story = (writes: life.world.mortality.writes, requests: life.world.wire.attempts.map(\.name))
        await life.world.kill()
        return story
    }

    /// The result of one request of the story.
    enum RequestFailure: String, CaseIterable, Sendable {
        case lost = "was lost"
        case answerLost = "arrived, its answer was lost"
        case diedBefore = "was lost, and the device died"
        case diedAfter = "arrived, and the device died before the answer"
    }

    private static func undisturbed() async throws -> StoryLife {
        var life = try StoryLife("undisturbed")
        try await life.live()
        return life
    }

    @Test("REL-3, EVT-3, EVT-4, EVT-6, REG-4, PUSH-22: the recorded day without a failure has all its events")
    func day() async throws {
        let life = try await Self.undisturbed()
        #expect(life.deaths == 0)
        #expect(life.returned == StoryStep.tracked)
        #expect(await life.screen.ids == ["S-1", "S-2", "S-3"])
        let statuses = Set(life.world.wire.attempts.compactMap { $0.answer?.status })
        #expect(statuses.isSuperset(of: [200, 201, 204, 400, 401, 413, 503]), "the day holds every kind of answer")
        #expect(life.world.wire.attempts.contains { $0.answer == nil }, "the day holds requests that nobody answered")
        #expect(Set(life.world.mortality.writes).isSuperset(of: [.schema, .event, .push, .step]))
        #expect(life.world.mortality.writes.count > 100)
        #expect(life.world.wire.attempts.count > 25)
        try await life.check()
    }

    @Test(
        "REL-3, EVT-3, REG-4, PUSH-22: the device dies before and after every write of its store, and nothing is lost",
        arguments: 0..<CrashPointTests.slices, Mortality.Instant.allCases
    )
    func everyWrite(slice: Int, instant: Mortality.Instant) async throws {
        let writes = try await Self.story.value.writes
        for number in Mortality.places(in: writes, instant, every: 8, slice: slice, of: Self.slices) {
            let place = "It died \(instant.rawValue) \(number) of \(writes.count), \(writes[number - 1].rawValue)."
            await run(place, deaths: 1) {
                var life = try StoryLife(place)
                life.world.mortality.doom(write: number, instant)
                try await life.live()
                return life
            }
        }
    }

    @Test(
        "REL-3, EVT-3, REG-4, REG-6, WIRE-25: every request or its response is lost, and the device may die",
        arguments: 0..<CrashPointTests.slices, RequestFailure.allCases
    )
    func everyRequest(slice: Int, fault: RequestFailure) async throws {
        let names = try await Self.story.value.requests
        let first = RequestFailure.allCases.firstIndex(of: fault) ?? 0
        let places = Endurance.sample(Array(names.indices), every: 3, from: first)
        for number in places where number % Self.slices == slice {
            let place = "Request \(number) of \(names.count), \(names[number]), \(fault.rawValue)."
            await run(place, deaths: fault == .diedBefore || fault == .diedAfter ? 1 : 0) {
                var life = try StoryLife(place) { attempt, mortality in
                    guard attempt.number == number else { return nil }
                    return Self.outcome(fault, mortality)
                }
                try await life.live()
                return life
            }
        }
    }

    /// Holds one run against what must be true, and continues with the next place whatever comes out.
    private func run(_ place: String, deaths: Int, _ live: () async throws -> StoryLife) async {
        do {
            let life = try await live()
            #expect(life.deaths == deaths, "\(place)")
            try await life.check()
        } catch {
            Issue.record(error, "\(place)")
        }
    }

    private static func outcome(_ fault: RequestFailure, _ mortality: Mortality) -> Wire.Outcome {
        switch fault {
        case .lost:
            return .lost
        case .answerLost:
            return .answerLost
        case .diedBefore:
            mortality.die()
            return .lost
        case .diedAfter:
            mortality.die()
            return .answerLost
        }
    }
}
