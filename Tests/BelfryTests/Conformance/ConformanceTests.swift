import Foundation
import Testing

@testable import Belfry

/// The conformance suite, as every SDK runs it: `Conformance/README.md`.
@Suite(.timeLimit(.minutes(15)))
struct ConformanceTests {
    @Test("WEB-6: the scenarios are found, and each says something of its own")
    func scenarios() throws {
        let scenarios = try Scenario.names.map { try Scenario.read($0) }
        #expect(!scenarios.isEmpty)
        #expect(Set(scenarios.map(\.title)).count == scenarios.count)
        #expect(Set(scenarios.flatMap(\.needs)) == Scenario.knownNeeds)
    }

    /// It meets all needs.
    @Test("WEB-6: this SDK conforms to the scenarios that every SDK is held to", arguments: Scenario.names)
    func conforms(name: String) async throws {
        let scenario = try Scenario.read(name)
        // Randomness is no part of a scenario: three kinds of luck.
        for seed: UInt64 in 1...3 {
            try await ScenarioRun(scenario, seed: seed).run()
        }
    }
}
