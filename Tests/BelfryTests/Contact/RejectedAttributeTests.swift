import BelfryModel
import BelfryRules
import Testing

@testable import Belfry

/// The app hears which values the server rejected (REG-25).
struct RejectedAttributeTests {
    /// A call whose response says what became of a registration.
    enum Call: CaseIterable {
        case registration
        case messageCenters
        case inAppMessages
    }

    private func make(_ call: Call, by client: BelfryClient, in world: World) async throws {
        switch call {
        case .registration:
            try await client.edit { $0.addTag("a") }
            try await world.advance(by: 61)
        case .messageCenters:
            try await client.engine.messageCenter.setEnabled(true)
            await client.waitUntilIdle()
        case .inAppMessages:
            try await client.engine.inApp.refresh()
        }
    }

    private func fields(of client: BelfryClient) async -> [[String]] {
        await reports(of: client).compactMap { report -> [String]? in
            if case .attributesRejected(let rejected) = report { rejected.map(\.field) } else { nil }
        }
    }

    @Test("REG-25: rejected attributes are reported and in the state, whoever says so", arguments: Call.allCases)
    func heard(call: Call) async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { $0.setAttribute("shoe", to: 38) }
        await client.waitUntilIdle()
        try await world.advance(by: 61)
        #expect(try await client.state().registration.processedRevision == nil)
        await world.server.set(processed: 2, rejecting: ["shoe"])
        try await make(call, by: client, in: world)
        let registration = try await client.state().registration
        #expect(registration.processedRevision == 2)
        #expect(registration.rejected.map(\.field) == ["attributes.shoe"])
        #expect(registration.rejected.map(\.reason) == ["undefinedAttribute"])
        #expect(try await client.state().json.contains("attributes.shoe"))
        await world.kill()
        #expect(await fields(of: client) == [["attributes.shoe"]])
    }

    @Test("REG-25: a field is reported once, until it is accepted; over restarts, too")
    func once() async throws {
        let world = try World()
        var client = try await world.start()
        await client.waitUntilIdle()
        var heard: [[String]] = []
        let said: [(revision: Int64, names: [String])] = [
            (1, ["shoe"]), (2, ["shoe"]), (3, ["hat", "shoe"]), (4, []), (5, ["shoe"]),
        ]
        for (number, step) in said.enumerated() {
            await world.server.set(processed: step.revision, rejecting: step.names)
            try await client.edit { $0.addTag("tag \(number)") }
            try await world.advance(by: 61)
            let registration = try await client.state().registration
            #expect(registration.processedRevision == step.revision)
            #expect(registration.rejected.map(\.field) == step.names.map { "attributes.\($0)" })
            await world.kill()
            heard += await fields(of: client)
            client = try await world.start()
        }
        #expect(heard == [["attributes.shoe"], ["attributes.hat"], ["attributes.shoe"]])
        await world.kill()
    }

    @Test("ID-4, REG-25: what was rejected of a person's record is gone when they leave", arguments: [true, false])
    func gone(byLogout: Bool) async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await world.advance(by: 61)
        await world.server.set(processed: 1, rejecting: ["shoe"])
        try await client.edit { $0.addTag("a") }
        try await world.advance(by: 61)
        #expect(try await client.state().registration.rejected.count == 1)
        if byLogout { try await client.logout() } else { try await client.identify(contactKey: "bert") }
        #expect(try await client.state().registration.rejected.isEmpty)
        // The server still speaks of anna's registration.
        try await client.edit { $0.addTag("b") }
        try await world.advance(by: 121)
        #expect(try await client.state().registration.rejected.isEmpty)
        await world.server.set(processed: 9, rejecting: ["hat"])
        try await client.edit { $0.addTag("c") }
        try await world.advance(by: 121)
        #expect(try await client.state().registration.rejected.map(\.field) == ["attributes.hat"])
        await world.kill()
        #expect(await fields(of: client) == [["attributes.shoe"], ["attributes.hat"]])
    }

    @Test("REG-25: an older result that arrives late changes nothing; a newer one about the same revision counts")
    func order() {
        var schedule = RegistrationSchedule()
        let shoe = RejectedField(field: "attributes.shoe", reason: "undefinedAttribute", message: "No.")
        let first = schedule.processed(RegistrationResult(revision: 3, rejected: [shoe]))
        let late = schedule.processed(RegistrationResult(revision: 2, rejected: []))
        #expect(first == [shoe] && late.isEmpty)
        #expect(schedule.result == RegistrationResult(revision: 3, rejected: [shoe]))
        // The attribute was defined meanwhile.
        let defined = schedule.processed(RegistrationResult(revision: 3, rejected: []))
        #expect(defined.isEmpty)
        #expect(schedule.result == RegistrationResult(revision: 3, rejected: []))
    }
}
