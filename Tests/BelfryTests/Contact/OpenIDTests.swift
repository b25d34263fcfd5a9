import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Contacts that a token of the customer's identity provider proves.
struct OpenIDTests {
    private func links(_ world: World) async throws -> [ContactLinkRequest] {
        try await world.server.requests
            .filter { $0.name == "POST /client/contact" }
            .map { try JSONDecoder().decode(ContactLinkRequest.self, from: $0.body) }
    }

    /// Everything that the device keeps, as text.
    private func kept(_ world: World) async throws -> String {
        let state = try await world.state
        let sync = String(decoding: try JSONEncoder().encode(state.sync), as: UTF8.self)
        return try await sync + world.client.state().json + "\(state)"
    }

    @Test("ID-3: a token links the contact that it proves, sets no key, and is kept until the link is made")
    func proven() async throws {
        let world = try World()
        let token = openIDToken(for: "anna")
        await world.server.prove("anna", by: token)
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        #expect(try await client.identify(openIDToken: " \(token)\n").isAccepted)
        await client.waitUntilIdle()
        #expect(try await world.state.sync.link.pending.first?.proof?.token == token)
        #expect(try await !client.state().json.contains(token))
        let next = try await world.restart()
        await world.server.set(isOffline: false)
        try await next.networkReturns()
        try await next.track("as anna")
        try await next.flush()
        try await world.advance(by: 60)
        #expect(try await links(world) == [ContactLinkRequest(openIdToken: token)])
        #expect(await world.server.contact == "anna")
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        #expect(await world.server.snapshots.allSatisfy { $0.contactKey == nil })
        #expect(try await !kept(world).contains(token))
        #expect(try await next.state().contact == "known")
        await world.kill()
    }

    @Test("ID-3: the same token, and a fresh one of the same person at each start, change nothing")
    func repeated() async throws {
        let world = try World()
        var client = try await world.start()
        await client.waitUntilIdle()
        for serial in [0, 0, 1, 2] {
            let token = openIDToken(for: "anna", serial: serial)
            await world.server.prove("anna", by: token)
            try await client.identify(openIDToken: token)
            try await client.edit { $0.addTag("tag \(serial)") }
            await client.waitUntilIdle()
            client = try await world.restart()
        }
        #expect(try await links(world).count == 1)
        #expect(try await world.state.record.tags.count == 3)
        #expect(await world.server.contact == "anna")
        await world.kill()
    }

    @Test("ID-3: a refused token leads to an anonymous contact and is reported; the next token is tried")
    func rejected() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.identify(openIDToken: openIDToken(for: "anna", serial: 1))
        try await client.track("kept")
        try await client.flush()
        try await client.identify(openIDToken: openIDToken(for: "anna", serial: 1))
        await client.waitUntilIdle()
        #expect(try await links(world).count == 1)
        #expect(await world.server.tracked.allSatisfy { $0.contact.hasPrefix("anonymous") })
        #expect(await world.server.tracked.map(\.name) == ["kept"])
        let fresh = openIDToken(for: "anna", serial: 2)
        await world.server.prove("anna", by: fresh)
        try await client.identify(openIDToken: fresh)
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        await world.kill()
        let failures = await reports(of: client)
        guard case .linkRefused(let failure)? = failures.first, failures.count == 1 else {
            Issue.record("the rejection is reported once: \(failures)")
            return
        }
        #expect(failure.code == "openIDTokenInvalid")
    }

    @Test(
        "ID-3: an invalid token is refused with a reason and changes nothing",
        arguments: ["", "opaque", "a.b", "ä.ö.ü"])
    func noToken(text: String) async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let before = try await world.state
        let result = try await client.identify(openIDToken: text)
        let error = try #require(result.error)
        #expect(!error.message.isEmpty)
        #expect(try await world.state.sync == before.sync)
        #expect(try await world.state.record == before.record)
        await world.kill()
    }

    @Test(
        "ID-3, ID-8: an anonymous contact's data moves to the proven one; another known person's is removed")
    func persons() async throws {
        let world = try World()
        let client = try await world.start()
        let (anna, bert) = (openIDToken(for: "anna"), openIDToken(for: "bert"))
        try await client.edit { $0.addTag("before") }
        try await client.identify(openIDToken: anna)
        #expect(try await client.edit { $0.tags } == ["before"])
        try await client.identify(openIDToken: bert)
        #expect(try await client.edit { $0.tags }.isEmpty)
        try await client.edit { $0.addTag("of bert") }
        try await client.identify(contactKey: "anna")
        #expect(try await client.edit { $0.tags }.isEmpty)
        try await client.edit { $0.addTag("of anna") }
        try await client.identify(openIDToken: anna)
        #expect(try await client.edit { $0.tags } == ["of anna"])
        #expect(try await client.edit { $0.contactKey } == nil)
        let tags = try await client.edit { record in
            record.setContactKey("cleo")
            record.addTag("of cleo")
            return record.tags
        }
        #expect(tags == ["of cleo"])
        try await client.identify(openIDToken: bert)
        #expect(try await client.edit { $0.tags }.isEmpty)
        await world.kill()
    }

    @Test(
        "ID-3, ID-6: when the server lost the link, the device is anonymous until the next token, and the app is told"
    )
    func forgotten() async throws {
        let world = try World()
        let client = try await world.start()
        let token = openIDToken(for: "anna", serial: 1)
        await world.server.prove("anna", by: token)
        try await client.identify(openIDToken: token)
        try await client.edit { $0.addTag("sports") }
        await client.waitUntilIdle()
        await world.server.forgetRefreshTokens()
        try await client.track("as anna")
        try await client.flush()
        try await client.track("as nobody")
        try await client.flush()
        let fresh = openIDToken(for: "anna", serial: 2)
        await world.server.prove("anna", by: fresh)
        try await client.identify(openIDToken: fresh)
        try await client.track("as anna again")
        try await client.flush()
        let contacts = await world.server.tracked.map(\.contact)
        #expect(contacts.count == 3)
        #expect(contacts.first == "anna" && contacts.last == "anna")
        #expect(contacts.dropFirst().first?.hasPrefix("anonymous") == true)
        #expect(try await world.state.record.tags.count == 1)
        await world.kill()
        #expect(await reports(of: client) == [.openIDTokenNeeded])
    }

    @Test("ID-4, REG-3: equal records of two people are registered for each")
    func equalRecords() async throws {
        let world = try World()
        let client = try await world.start()
        for (number, person) in ["anna", "bert", "anna"].enumerated() {
            let token = openIDToken(for: person)
            await world.server.prove(person, by: token)
            try await client.identify(openIDToken: token)
            try await client.edit { $0.addTag("sports") }
            try await world.advance(by: 120)
            let tags = await world.server.snapshots.map(\.tags)
            #expect(tags.filter { $0 == ["sports"] }.count == number + 1, "\(person): \(tags)")
            try await world.advance(by: 3_600)
            #expect(await world.server.snapshots.count == tags.count, "and once for each")
            try await client.logout()
        }
        await world.kill()
    }

    @Test("ID-4, REG-3: the response to one person's registration does not count for the next one")
    func answerUnderWay() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        for person in ["anna", "bert"] { await world.server.prove(person, by: openIDToken(for: person)) }
        try await client.identify(openIDToken: openIDToken(for: "anna"))
        await client.waitUntilIdle()
        try await client.edit { $0.addTag("sports") }
        await client.waitUntilIdle()
        await gate.shut()
        world.clock.advance(by: 60)
        await gate.holdsOne()
        try await client.identify(openIDToken: openIDToken(for: "bert"))
        try await client.edit { $0.addTag("sports") }
        await gate.open()
        await client.waitUntilIdle()
        #expect(await world.server.snapshots.last?.tags == ["sports"])
        let before = await world.server.snapshots.count
        world.clock.advance(by: 60)
        await client.waitUntilIdle()
        #expect(await world.server.contact == "bert")
        #expect(await world.server.snapshots.dropFirst(before).map(\.tags) == [["sports"]])
        await client.stop()
    }

    @Test("ID-4: a logout after a token links a fresh anonymous contact, and the next token is another person's")
    func logout() async throws {
        let world = try World()
        let client = try await world.start()
        let token = openIDToken(for: "anna")
        await world.server.prove("anna", by: token)
        try await client.identify(openIDToken: token)
        await client.waitUntilIdle()
        try await client.logout()
        await client.waitUntilIdle()
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        try await client.identify(openIDToken: token)
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        #expect(try await links(world).count == 2)
        await world.kill()
    }
}
