import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// `delayRegistrationUntilContactKeyIsSet`.
struct DelayedRegistrationTests {
    private func delayedWorld() throws -> World {
        try World { $0.delayRegistrationUntilContactKeyIsSet = true }
    }

    @Test("REG-12: nothing is sent before a contact key is set, whatever the app does; then REG-2 applies")
    func nothing() async throws {
        let world = try delayedWorld()
        var client = try await world.start()
        for round in 0..<3 {
            try await client.track("event \(round)")
            try await client.edit { $0.addTag("tag \(round)") }
            try await client.setPushPermission(true)
            try await client.setPushToken("0abcff", environment: .production)
            try await client.logout()
            try await client.flush()
            try await world.advance(by: 86_400)
            world.setSystem { $0.appVersion = "\(round)" }
            try await client.didEnterBackground()
            try await client.didEnterForeground()
            client = try await world.restart()
        }
        await client.waitUntilIdle()
        #expect(await world.server.requests.isEmpty)
        let state = try await client.state()
        #expect(state.registration.reason == "waitingForContactKey")
        #expect(state.registration.nextAttemptAt == nil)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let names = await world.server.names
        #expect(names.prefix(3) == ["POST /client", "POST /client/contact", "PUT /client/push-token"])
        #expect(names.contains("POST /client/registration"))
        #expect(await world.server.tracked.map(\.name) == ["event 0", "event 1", "event 2"])
        #expect(await world.server.tracked.allSatisfy { $0.contact == "anna" })
        await world.kill()
    }

    @Test("REG-12: identify with a key, a key set in an edit and an OpenID token each end the delay", arguments: 0..<3)
    func release(by way: Int) async throws {
        let world = try delayedWorld()
        let token = openIDToken(for: "anna")
        await world.server.prove("anna", by: token)
        let client = try await world.start()
        try await client.track("early")
        await client.waitUntilIdle()
        switch way {
        case 0: try await client.identify(contactKey: "anna")
        case 1: try await client.edit { $0.setContactKey("anna") }
        default: try await client.identify(openIDToken: token)
        }
        try await client.flush()
        #expect(await world.server.contact == "anna")
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        #expect(await world.server.snapshots.count == 1)
        #expect(await world.server.count("POST /client/contact?anonymous=true") == 0)
        // It stays released over a restart, also where the record has no key.
        let next = try await world.restart()
        try await next.track("late")
        try await next.flush()
        #expect(await world.server.tracked.map(\.name) == ["early", "late"])
        await world.kill()
    }

    @Test("REG-12, ID-4: a logout is sent; the former person's last events too, and later ones wait for the next login")
    func logout() async throws {
        let world = try delayedWorld()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.track("as anna")
        try await client.logout()
        await client.waitUntilIdle()
        let anonymous = try #require(await world.server.contact)
        #expect(anonymous.hasPrefix("anonymous"))
        await world.server.expireTokens()
        try await client.track("nobody's yet")
        try await client.edit { $0.addTag("sports") }
        let before = await world.server.requests.count
        for _ in 0..<2 {
            try await world.advance(by: 60)
        }
        #expect(await world.server.tracked.map(\.name) == ["as anna"])
        let names = Set(await world.server.names.dropFirst(before))
        #expect(names == ["POST /client/events", "POST /client/contact-token"])
        let after = await world.server.requests.count
        try await client.flush()
        try await world.advance(by: 600)
        #expect(await world.server.requests.count == after)
        try await client.identify(contactKey: "bert")
        try await client.flush()
        #expect(await world.server.contact == "bert")
        let owners = await world.server.tracked.map { "\($0.name): \($0.contact)" }
        // On the real server what is the anonymous contact's moves to bert (ID-8).
        #expect(owners == ["as anna: anna", "nobody's yet: \(anonymous)"])
        await world.kill()
    }

    @Test("REG-12: a login and logout without a network are sent, too")
    func offline() async throws {
        let world = try delayedWorld()
        await world.server.set(isOffline: true)
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        try await client.track("as anna")
        try await client.logout()
        await client.waitUntilIdle()
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(
            await world.server.names.prefix(3) == [
                "POST /client", "POST /client/contact", "POST /client/contact?anonymous=true&fresh=true",
            ]
        )
        try await world.advance(by: 60)
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        #expect(await world.server.count(World.registration) == 0)
        await world.kill()
    }
}
