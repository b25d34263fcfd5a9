import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct RecordTests {
    /// A device that has registered, a minute ago.
    private func registered() async throws -> (World, BelfryClient) {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await world.advance(by: 61)
        return (world, client)
    }

    private func attributes(_ attributes: [String: AttributeValue]) -> [String: AttributeValue] {
        attributes
    }

    @Test("REG-3: an edit that changes nothing sends nothing")
    func noChange() async throws {
        let (world, client) = try await registered()
        try await client.edit { $0.setAttribute("city", to: "Paris") }
        try await world.advance(by: 60)
        for _ in 0..<5 {
            try await client.edit { $0.setAttribute(" city ", to: " Paris ") }
            try await client.edit { $0.removeTag("never there") }
            try await world.advance(by: 120)
        }
        #expect(await world.server.count("POST /client/registration") == 2)
        await world.kill()
    }

    @Test("REG-4, REG-8: edits inside a minute coalesce into one update with the newest state")
    func coalescing() async throws {
        let (world, client) = try await registered()
        for number in 0..<9 {
            try await client.edit { record in
                record.setAttribute("number", to: .number(Double(number)))
                record.addTag("tag \(number)")
            }
            try await world.advance(by: 1)
        }
        try await world.advance(by: 60)
        let snapshots = await world.server.snapshots
        #expect(snapshots.count == 2)
        #expect(snapshots.last?.attributes == attributes(["number": 8]))
        #expect(snapshots.last?.tags?.count == 9)
        #expect(snapshots.last?.revision == 2)
        await world.kill()
    }

    @Test(
        "REG-4: never two attempts within a minute, in any hour of edits and restarts",
        arguments: Endurance.seeds(6, brief: 2))
    func throttle(seed: UInt64) async throws {
        let world = try World(seed: seed)
        let chance = Chance(seed: seed)
        try await world.start().waitUntilIdle()
        for step in 0..<120 {
            switch chance.unit() {
            case ..<0.5:
                try await world.client.edit { $0.setAttribute("step", to: .number(Double(step))) }
            case ..<0.6:
                try await world.restart()
            case ..<0.65:
                await world.server.script("POST /client/registration", .answerLost)
            case ..<0.7:
                await world.server.script("POST /client/registration", .answer(FakeServer.error(503, "busy")))
            default:
                break
            }
            try await world.advance(by: chance.unit() * 60)
        }
        try await world.restart()
        for _ in 0..<200 {
            try await world.advance(by: 900)
        }
        let times = await world.server.requests.filter { $0.name == "POST /client/registration" }.map(\.at)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= 60 })
        let record = try await world.state.record
        let last = try #require(await world.server.snapshots.last)
        let expected = Dictionary(record.attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 })
        #expect((last.attributes ?? [:]) == expected)
        await world.kill()
    }

    @Test("REG-5: a change of the system is sent by itself")
    func system() async throws {
        let (world, client) = try await registered()
        world.setSystem { $0.timeZone = "America/Lima" }
        try await client.didEnterForeground()
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.map(\.timeZone) == ["Europe/Paris", "America/Lima"])
        await world.kill()
    }

    @Test("REG-6: a refused registration is reported and waits for the next edit")
    func rejected() async throws {
        let (world, client) = try await registered()
        await world.server.script("POST /client/registration", .answer(FakeServer.error(400, "invalidBody")))
        try await client.edit { $0.addTag("bad") }
        for _ in 0..<20 {
            try await world.advance(by: 600)
        }
        #expect(await world.server.count("POST /client/registration") == 2)
        try await client.edit { $0.removeTag("bad") }
        try await client.edit { $0.addTag("good") }
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.last?.tags == ["good"])
        await world.kill()
        let failures = await reports(of: client)
        guard case .registrationRefused(let failure)? = failures.first else {
            Issue.record("the rejection is reported")
            return
        }
        #expect(failure.status == 400)
    }

    @Test("REG-7: an edit made without a network is sent when the network is back")
    func offline() async throws {
        let (world, client) = try await registered()
        await world.server.set(isOffline: true)
        try await client.edit { $0.addTag("offline") }
        for _ in 0..<10 {
            try await world.advance(by: 600)
        }
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.last?.tags == ["offline"])
        await world.kill()
    }

    @Test("REG-8: an edit returns what its setters returned, and a refused setter changes nothing")
    func results() async throws {
        let (world, client) = try await registered()
        let results = try await client.edit { record in
            [
                record.addTag("  "), record.addTag(" sports "), record.setAttribute("", to: "x"),
                record.setAttribute("city", to: nil), record.setAttribute("rate", to: .number(.nan)),
                record.setContactKey(nil), record.setContactKey(""), record.setPushEnabled(false),
                record.setPartyIdentifier(type: "email", name: " ", number: "1"),
            ]
        }
        let codes = results.map { $0.error?.code ?? "accepted" }
        let expected = [
            "blank", "accepted", "blank", "missingValue", "invalidNumber", "blank", "blank", "accepted", "blank",
        ]
        #expect(codes == expected)
        let record = try await world.state.record
        #expect(record.tags.map(\.rawValue) == ["sports"])
        #expect(record.attributes.isEmpty)
        #expect(record.contactKey == nil)
        #expect(!record.pushEnabled)
        await world.kill()
    }

    @Test("REG-9: a contact key is trimmed, may be replaced, and is never cleared by this call")
    func contactKey() async throws {
        let (world, client) = try await registered()
        #expect(try await client.edit { $0.setContactKey(" anna ") } == .accepted)
        #expect(try await client.edit { $0.setContactKey("bert") } == .accepted)
        #expect(try await client.edit { $0.setContactKey(" ") } != .accepted)
        #expect(try await world.state.record.contactKey?.rawValue == "bert")
        await world.kill()
    }

    @Test("REG-10: reserved words are refused in any case; a blank value is sent; clear stops sending")
    func attributeRules() async throws {
        let (world, client) = try await registered()
        for word in AttributeKey.reservedWords {
            #expect(
                try await client.edit { $0.setAttribute(word.uppercased(), to: "x") }.error?.code == "reservedWord")
        }
        let long = String(repeating: "k", count: 129)
        #expect(try await client.edit { $0.setAttribute(long, to: "x") }.error?.code == "tooLong")
        try await client.edit { record in
            record.setAttribute("city", to: "  ")
            record.setAttribute("age", to: 31)
        }
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.last?.attributes == attributes(["city": "", "age": 31]))
        try await client.edit { $0.clearAttribute("city") }
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.last?.attributes == attributes(["age": 31]))
        await world.kill()
    }

    @Test("REG-11: tags are a set of trimmed words, added and removed singly and in bulk")
    func tags() async throws {
        let (world, client) = try await registered()
        try await client.edit { record in
            record.addTags(["a", " a ", "b", "c", " "])
            record.removeTags(["c", "never"])
            record.addTag("d")
        }
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.last?.tags == ["a", "b", "d"])
        await world.kill()
    }

    @Test("REG-14: the state says what is pending, what was accepted, the last error and the next attempt")
    func state() async throws {
        let (world, client) = try await registered()
        try await client.setPushToken("0123456789abcdef0123456789abcdef", environment: .production)
        await client.waitUntilIdle()
        await world.server.script("POST /client/registration", .answer(FakeServer.error(503, "busy")))
        try await world.advance(by: 30)
        let state = try await client.state()
        #expect(state.registration.isPending)
        #expect(state.registration.acceptedRevision == 1)
        #expect(state.registration.lastError?.status == 503)
        #expect(state.registration.lastError?.code == "busy")
        #expect(state.registration.nextAttemptAt != nil)
        #expect(state.consent == ClientState.Consent(pushEnabled: true, osPushEnabled: nil))
        #expect(state.contact == "anonymous")
        #expect(state.pushToken == "apns:012345…cdef")
        let json = state.json
        #expect(json.contains("\"acceptedRevision\" : 1"))
        #expect(!json.contains("0123456789abcdef"))
        #expect(!json.contains("token-"))
        await world.kill()
    }

    @Test("REG-21: a device whose storage was restored continues above the revision that the server knows")
    func restored() async throws {
        let world = try World()
        await world.server.set(revision: 40)
        try await world.start().waitUntilIdle()
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.map(\.revision) == [41])
        try await world.advance(by: 600)
        #expect(await world.server.count("POST /client/registration") == 2)
        await world.kill()
    }
}
