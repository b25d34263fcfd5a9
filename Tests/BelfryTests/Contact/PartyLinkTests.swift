import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// A party identifier that identifies, and a re-installed app that takes its contact back.
struct PartyLinkTests {
    private static let anna = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
    private static let bert = PartyIdentifier(type: "email", name: "primary", number: "b@example.com")

    @Test("ID-9, ID-3: a party identifier links once, and describes the contact in the snapshot")
    func links() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let spaced = PartyIdentifier(type: " email", name: "primary\n", number: " a@example.com ")
        for _ in 0..<3 {
            #expect(try await client.identify(partyIdentifier: spaced).isAccepted)
            await client.waitUntilIdle()
        }
        #expect(await world.server.count("POST /client/contact") == 1)
        let link = try #require(await world.server.requests.last { $0.name == "POST /client/contact" })
        let body = try JSONDecoder().decode(ContactLinkRequest.self, from: link.body)
        #expect(body == ContactLinkRequest(partyIdentifier: Self.anna))
        try await world.advance(by: 61)
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.partyIdentifier == Self.anna && snapshot.contactKey == nil)
        let next = try await world.restart()
        #expect(try await next.identify(partyIdentifier: Self.anna).isAccepted)
        await next.waitUntilIdle()
        #expect(await world.server.count("POST /client/contact") == 1)
        await world.kill()
    }

    @Test("ID-9: another identifier, a key, or a key's text in it is another person, whose data replaces the former's")
    func persons() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let steps: [(String, @Sendable (BelfryClient) async throws -> Void)] = [
            ("party:a@example.com", { try await $0.identify(partyIdentifier: Self.anna) }),
            ("party:b@example.com", { try await $0.identify(partyIdentifier: Self.bert) }),
            ("b@example.com", { try await $0.identify(contactKey: "b@example.com") }),
            ("party:b@example.com", { try await $0.identify(partyIdentifier: Self.bert) }),
        ]
        for (contact, identify) in steps {
            try await identify(client)
            await client.waitUntilIdle()
            #expect(await world.server.contact == contact)
            #expect(try await client.record().attributes.isEmpty)
            try await client.edit { $0.setAttribute("city", to: "Paris") }
        }
        let edit = try await client.edit { $0.setPartyIdentifier(type: "email", name: "primary", number: "x") }
        #expect(edit.error?.code == "identifiesContact")
        #expect(try await client.record().partyIdentifier == Self.bert)
        try await client.logout()
        await client.waitUntilIdle()
        #expect(await world.server.contact?.hasPrefix("anonymous-") == true)
        #expect(try await client.record().partyIdentifier == nil)
        await world.kill()
    }

    @Test("ID-9: a refused party identifier leaves the device anonymous, and the app hears why")
    func rejected() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(allowsParties: false)
        try await client.identify(partyIdentifier: Self.anna)
        await client.waitUntilIdle()
        #expect(await world.server.contact?.hasPrefix("anonymous-") == true)
        #expect(try await world.state.sync.link.linkGate.lastFailure?.code == "openIDRequired")
        let blank = PartyIdentifier(type: " ", name: "a", number: "b")
        #expect(try await client.identify(partyIdentifier: blank).error?.code == "blank")
        await world.kill()
    }

    @Test("ID-3: equal keys of two named fields are two people")
    func fields() async throws {
        let world = try World { $0.contactField = "email" }
        let client = try await world.start()
        try await client.identify(contactKey: "4711")
        try await client.edit { $0.setAttribute("city", to: "Paris") }
        try await client.identify(contactKey: "4711", contactField: "email")
        #expect(try await client.record().attributes.count == 1)
        try await client.identify(contactKey: "4711", contactField: "loyalty")
        #expect(try await client.record().attributes.isEmpty)
        try await client.identify(contactKey: "4711", contactField: "loyalty")
        try await client.edit { $0.setContactKey("4711") }
        try await world.advance(by: 61)
        let fields = try await world.server.requests.filter { $0.name == "POST /client/contact" }.map {
            try JSONDecoder().decode(ContactLinkRequest.self, from: $0.body).contactFieldId?.rawValue
        }
        #expect(fields.last == "email" && fields.contains("loyalty"))
        await world.kill()
    }

    @Test("REG-23: a nonce for the present, anonymous contact is sent back, and the device has its former contact")
    func takeover() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let contact = try #require(await world.server.contact)
        await world.server.offer("anonymous-former", nonce: "n1")
        let session = try await world.state.session.session?.id
        func push(_ nonce: String, to contact: String?, sid: String) throws -> ReceivedPush {
            try #require(
                ReceivedPush(
                    payload: PushPayload(sid: sid, to: contact.map(FakeServer.tag(of:)), nonce: nonce))
            )
        }
        // For somebody else, for anybody, or empty: it stays here.
        for (number, other) in [("n1", "another"), ("n1", nil), ("", contact)].enumerated() {
            try await client.handlePush(push(other.0, to: other.1, sid: "S-\(number)"))
        }
        await client.waitUntilIdle()
        #expect(await world.server.contact == contact)
        try await client.track("before")
        try await client.handlePush(push("n1", to: contact, sid: "S-9"))
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anonymous-former")
        #expect(try await world.state.sync.link.target == .anonymous)
        #expect(try await world.state.session.session?.id == session)
        #expect(await world.server.count("POST /client/contact") == 1)
        // A refused nonce changes nothing, and holds nothing up.
        try await client.handlePush(push("n2", to: "anonymous-former", sid: "S-10"))
        try await client.track("after")
        try await client.flush()
        #expect(await world.server.contact == "anonymous-former")
        #expect(await world.server.count("POST /client/contact") == 2)
        #expect(await world.server.tracked.map(\.name) == ["before", "after"])
        await world.kill()
    }

    @Test("REG-23: who is identified sends no nonce back")
    func identified() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let payload = PushPayload(sid: "S-1", to: FakeServer.tag(of: "anna"), nonce: "n1")
        try await client.handlePush(ReceivedPush(payload: payload))
        await client.waitUntilIdle()
        #expect(await world.server.count("POST /client/contact") == 1)
        await world.kill()
    }
}
