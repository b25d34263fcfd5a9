import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct IdentityTests {
    @Test("ID-3: identify links the contact once; repeated at each start it sends nothing")
    func identify() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(try await client.identify(contactKey: " anna ").isAccepted)
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        let session = try await world.state.session.session?.id
        for _ in 0..<3 {
            let next = try await world.restart()
            #expect(try await next.identify(contactKey: "anna").isAccepted)
            await next.waitUntilIdle()
        }
        #expect(await world.server.count("POST /client/contact") == 1)
        // Restarts within the session's time-out keep the session.
        #expect(try await world.state.session.session?.id == session)
        await world.kill()
    }

    @Test("ID-3, REG-9: the snapshot has the key of the standard field, and none of another; a blank key is refused")
    func contactKey() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(try await client.identify(contactKey: "  ").error?.code == "blank")
        try await client.identify(contactKey: "anna", contactField: "7")
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.isEmpty == false)
        #expect(await world.server.snapshots.last?.contactKey == nil, "it names no field")
        #expect(try await client.record().contactKey == "anna")
        let link = try #require(await world.server.requests.last { $0.name == "POST /client/contact" })
        let body = try JSONDecoder().decode(ContactLinkRequest.self, from: link.body)
        #expect(body == ContactLinkRequest(contactFieldId: "7", contactFieldValue: "anna"))
        #expect(link.headers[HeaderNames.contactToken] == nil)
        try await client.identify(contactKey: "bert")
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.last?.contactKey == "bert")
        await world.kill()
    }

    @Test("ID-3: a key without a field belongs to the configured one, also when the record has it")
    func configuredField() async throws {
        let world = try World { $0.contactField = " email " }
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.edit { $0.setContactKey("anna") }
        await client.waitUntilIdle()
        try await client.identify(contactKey: "anna")
        try await client.identify(contactKey: "bert")
        await client.waitUntilIdle()
        try await client.identify(contactKey: "17", contactField: "customer")
        await client.waitUntilIdle()
        let links = try await world.server.requests.filter { $0.name == "POST /client/contact" }.map {
            try JSONDecoder().decode(ContactLinkRequest.self, from: $0.body)
        }
        #expect(
            links == [
                ContactLinkRequest(contactFieldId: "email", contactFieldValue: "anna"),
                ContactLinkRequest(contactFieldId: "email", contactFieldValue: "bert"),
                ContactLinkRequest(contactFieldId: "customer", contactFieldValue: "17"),
            ]
        )
        await world.kill()
    }

    @Test("ID-3: another field in the configuration does not change the contact")
    func otherConfiguredField() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let session = try await world.state.session.session?.id
        await world.kill()
        var configuration = world.configuration
        configuration.contactField = "email"
        let next = try BelfryClient(
            configuration: configuration, platform: HeadlessPlatform(system: SystemProperties(platform: "ios")),
            transport: world.wire,
            environment: .manual(world.clock, Chance(seed: 2))
        )
        try await next.start()
        try await next.identify(contactKey: "anna")
        try await next.edit { $0.setContactKey("anna") }
        await next.waitUntilIdle()
        #expect(await world.server.count("POST /client/contact") == 1)
        #expect(try await next.engine.state().session.session?.id == session)
        await next.stop()
    }

    @Test("ID-7: events belong to the contact for whom they were tracked, whenever they are sent")
    func owners() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let anonymous = try #require(await world.server.contact)
        await world.server.set(isOffline: true)
        try await client.track("as nobody")
        try await client.identify(contactKey: "anna")
        try await client.track("as anna")
        try await client.logout()
        try await client.track("between")
        try await client.identify(contactKey: "bert")
        try await client.track("as bert")
        let next = try await world.restart()
        await next.waitUntilIdle()
        await world.server.set(isOffline: false)
        try await next.networkReturns()
        try await next.flush()
        let owners = await world.server.tracked.map { "\($0.name): \($0.contact)" }
        #expect(
            owners == ["as nobody: \(anonymous)", "as anna: anna", "between: bert", "as bert: bert"]
        )
        await world.kill()
    }

    @Test("ID-4: logout removes the person's data before it returns, and links a fresh anonymous contact")
    func logout() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { record in
            record.setAttribute("city", to: "Paris")
            record.addTag("sports")
            record.setPartyIdentifier(type: "email", name: "primary", number: "a@example.com")
        }
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.track("before")
        await world.server.set(isOffline: true)
        try await client.logout()
        let record = try await world.state.record
        #expect(record.contactKey == nil)
        #expect(record.partyIdentifier == nil)
        #expect(record.attributes.isEmpty)
        #expect(record.tags.isEmpty)
        await client.waitUntilIdle()
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        try await world.advance(by: 120)
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.contactKey == nil)
        #expect(snapshot.tags?.isEmpty == true)
        await world.kill()
    }

    @Test("ID-3: a refused contact that is set again at each start delays neither events nor registrations")
    func rejectedAgain() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script("POST /client/contact", .answer(FakeServer.error(403, "fieldNotAllowed")))
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let next = try await world.restart()
        try await next.identify(contactKey: "anna")
        try await next.track("kept")
        try await next.edit { $0.addTag("sports") }
        try await next.flush()
        try await world.advance(by: 60)
        #expect(await world.server.tracked.map(\.name) == ["kept"])
        #expect(await world.server.snapshots.last?.tags == ["sports"])
        #expect(await world.server.count("POST /client/contact") == 1)
        await world.kill()
    }

    @Test("ID-7, ID-9, ID-4: a contact key that is set is linked, owns the events that follow, and can log out")
    func contactKeySet() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let anonymous = try #require(await world.server.contact)
        try await client.track("as nobody")
        for _ in 0..<2 {
            try await client.edit { $0.setContactKey("anna") }
            await client.waitUntilIdle()
        }
        try await client.track("as anna")
        try await client.flush()
        try await world.advance(by: 60)
        let owners = await world.server.tracked.map { "\($0.name): \($0.contact)" }
        #expect(owners == ["as nobody: \(anonymous)", "as anna: anna"])
        #expect(await world.server.snapshots.last?.contactKey == "anna")
        #expect(await world.server.count("POST /client/contact") == 1)
        try await client.logout()
        try await world.advance(by: 60)
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        #expect(await world.server.contact != anonymous)
        await world.kill()
    }

    @Test("ID-4: logout unlinks the device from a contact that only a snapshot set")
    func logoutOfRejected() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script("POST /client/contact", .answer(FakeServer.error(403, "fieldNotAllowed")))
        try await client.edit { $0.setContactKey("anna") }
        try await world.advance(by: 60)
        #expect(await world.server.contact == "anna")
        try await client.logout()
        try await world.advance(by: 60)
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        await world.kill()
    }

    @Test("ID-3: the data of one known contact is not written to the next", arguments: [false, true])
    func nextContact(byEdit: Bool) async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { $0.setAttribute("city", to: "Paris") }
        try await client.identify(contactKey: "anna")
        // The anonymous contact's own moves to the known one (ID-8); the same key again takes nothing away.
        try await client.identify(contactKey: "anna", contactField: "7")
        try await client.edit { record in
            record.setContactKey("anna")
            record.addTag("sports")
            record.setPartyIdentifier(type: "email", name: "primary", number: "a@example.com")
        }
        #expect(try await world.state.record.attributes.count == 1)
        if byEdit {
            try await client.edit { record in
                record.setContactKey("bert")
                record.addTag("chess")
            }
        } else {
            try await client.identify(contactKey: "bert")
            try await client.edit { $0.addTag("chess") }
        }
        try await world.advance(by: 120)
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.contactKey == "bert")
        #expect(snapshot.attributes?.isEmpty != false)
        #expect(snapshot.tags == ["chess"])
        #expect(snapshot.partyIdentifier == nil)
        await world.kill()
    }

    @Test("ID-4: a session belongs to one contact")
    func sessions() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.identify(contactKey: "anna")
        try await client.flush()
        let events = await world.server.events
        #expect(events.map(\.name) == ["app:start", "session:start", "session:end", "session:start"])
        #expect(events[2].contact == events[1].contact)
        #expect(events[3].contact == "anna")
        #expect(events[2].sessionID == events[1].sessionID)
        #expect(events[3].sessionID != events[1].sessionID)
        await world.kill()
    }

    @Test("ID-6: an expired token leads to one refresh and a resend; no event is lost")
    func refresh() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.expireTokens()
        let before = await world.server.names.count
        try await client.track("kept")
        try await client.setPushToken("abcdef", environment: .production)
        try await client.flush()
        #expect(await world.server.count("POST /client/contact-token") == 1)
        #expect(await world.server.tracked.map(\.name) == ["kept"])
        #expect(await world.server.pushToken == "abcdef")
        #expect(await world.server.names.dropFirst(before).filter { $0.contains("anonymous") }.isEmpty)
        await world.kill()
    }

    @Test("ID-6: a refresh token that the server no longer knows: the device registers again, events are kept")
    func registerAnew() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        try await client.setPushToken("abcdef", environment: .production)
        await client.waitUntilIdle()
        await world.server.forgetRefreshTokens()
        let before = await world.server.names.count
        try await client.track("kept")
        try await client.flush()
        try await world.advance(by: 61)
        let after = Array(await world.server.names.dropFirst(before))
        #expect(
            after.prefix(5) == [
                "POST /client/events", "POST /client/contact-token", "POST /client", "POST /client/contact",
                "PUT /client/push-token",
            ]
        )
        #expect(after.contains("POST /client/registration"))
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        await world.kill()
    }

    @Test("ID-6: a server that refuses every token is not flooded with calls")
    func noCircle() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let rejected = FakeServer.error(401, ErrorCode.contactTokenInvalid)
        for _ in 0..<200 {
            await world.server.script("POST /client/events", .answer(rejected))
        }
        try await client.track("stuck")
        try await client.flush()
        for _ in 0..<60 {
            try await world.advance(by: 60)
        }
        // An hour of growing delays, not thousands of requests.
        #expect(await world.server.count("POST /client/events") < 20)
        #expect(try await client.state().queue.count == 1)
        await world.kill()
    }

    @Test("WIRE-22, ID-4: with anonymous contacts off all is kept until identify, and a logout withdraws the token")
    func anonymousDisabled() async throws {
        let world = try World()
        await world.server.set(allowsAnonymous: false)
        let client = try await world.start()
        try await client.track("kept")
        try await client.flush()
        for _ in 0..<10 {
            try await world.advance(by: 600)
        }
        #expect(await world.server.count("POST /client/contact?anonymous=true") == 1)
        #expect(await world.server.events.isEmpty)
        try await client.setPushToken("abcdef", environment: .production)
        try await client.identify(contactKey: "anna")
        try await client.flush()
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        #expect(await world.server.pushToken == "abcdef")
        // The server keeps the device for anna, so it must have nothing to push to; also long after the last call.
        await world.server.expireTokens()
        try await client.logout()
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        #expect(await world.server.pushToken == nil)
        await world.server.script("POST /client/contact?anonymous=true&fresh=true", .lost)
        try await client.setPushToken("fedcba", environment: .production)
        for _ in 0..<50 {
            try await world.advance(by: 3_600)
        }
        #expect(await world.server.pushToken == nil)
        #expect(await world.server.count("DELETE /client/push-token") == 2)
        try await client.identify(contactKey: "bert")
        await client.waitUntilIdle()
        #expect(await world.server.pushToken == "fedcba")
        await world.kill()
        let failures = await reports(of: client)
        guard case .linkRefused(let failure)? = failures.first else {
            Issue.record("the rejection is reported")
            return
        }
        #expect(failure.code == ErrorCode.anonymousContactsDisabled)
    }
}
