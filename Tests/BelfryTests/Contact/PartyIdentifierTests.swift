import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The identity triple of a customer data platform, on its way from the app to the server.
struct PartyIdentifierTests {
    private static let anna = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")

    private func set(_ party: PartyIdentifier, _ client: BelfryClient) async throws {
        let result = try await client.edit {
            $0.setPartyIdentifier(type: party.type, name: party.name, number: party.number)
        }
        #expect(result == .accepted)
    }

    /// A device that has registered without a party identifier, a minute ago.
    private func registered() async throws -> (World, BelfryClient) {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await world.advance(by: 61)
        #expect(await world.server.snapshots.map(\.partyIdentifier) == [nil])
        return (world, client)
    }

    @Test("REG-1, REG-2, REG-3: each changed part is sent once, trimmed, and the same value again is not sent")
    func sent() async throws {
        let (world, client) = try await registered()
        var expected: [PartyIdentifier] = []
        for change in [("email", "primary", "1"), ("phone", "primary", "1"), ("phone", "second", "1")] {
            let party = PartyIdentifier(type: change.0, name: change.1, number: change.2)
            expected.append(party)
            try await set(PartyIdentifier(type: " \(party.type)", name: "\(party.name)\n", number: " 1 "), client)
            #expect(try await client.edit { $0.partyIdentifier } == party)
            try await world.advance(by: 61)
            try await set(party, client)
            try await world.advance(by: 61)
        }
        #expect(await world.server.snapshots.dropFirst().map(\.partyIdentifier) == expected)
        let body = try #require(await world.server.requests.last { $0.name == World.registration }).body
        let json = try JSONSerialization.jsonObject(with: body) as? [String: Any]
        let sent = json?["partyIdentifier"] as? [String: String]
        #expect(sent == ["type": "phone", "name": "second", "number": "1"], "the names of the wire")
        await world.kill()
    }

    @Test("REG-1, REG-7: it survives a restart that came before it was sent")
    func restarted() async throws {
        let (world, client) = try await registered()
        await world.server.set(isOffline: true)
        try await set(Self.anna, client)
        let next = try await world.restart()
        #expect(try await next.edit { $0.partyIdentifier } == Self.anna)
        await world.server.set(isOffline: false)
        try await next.networkReturns()
        try await world.advance(by: 61)
        #expect(await world.server.snapshots.last?.partyIdentifier == Self.anna)
        await world.kill()
    }

    @Test("ID-9: it links the device to nobody, and leaves key, attributes, tags and the owner of events as they are")
    func linksNobody() async throws {
        let (world, client) = try await registered()
        let contact = try #require(await world.server.contact)
        let links = await world.server.count("POST /client/contact")
        try await client.edit { record in
            record.setAttribute("city", to: "Paris")
            record.addTag("sports")
        }
        try await set(Self.anna, client)
        try await client.track("after")
        try await client.flush()
        try await world.advance(by: 61)
        #expect(await world.server.count("POST /client/contact") == links)
        #expect(await world.server.contact == contact)
        #expect(await world.server.tracked.map(\.contact) == [contact])
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.partyIdentifier == Self.anna && snapshot.contactKey == nil)
        #expect(snapshot.tags == ["sports"] && snapshot.attributes?.count == 1)
        await world.kill()
    }

    @Test("ID-3, ID-8: it stays with an anonymous person who logs in, and not with the next", arguments: [false, true])
    func nextPerson(isProven: Bool) async throws {
        let (world, client) = try await registered()
        try await set(Self.anna, client)
        try await client.identify(contactKey: "anna")
        try await world.advance(by: 61)
        #expect(await world.server.snapshots.last?.partyIdentifier == Self.anna)
        if isProven {
            let token = openIDToken(for: "bert")
            await world.server.prove("bert", by: token)
            #expect(try await client.identify(openIDToken: token).isAccepted)
        } else {
            try await client.identify(contactKey: "bert")
        }
        #expect(try await client.edit { $0.partyIdentifier } == nil)
        try await world.advance(by: 61)
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.partyIdentifier == nil)
        await world.kill()
    }
}
