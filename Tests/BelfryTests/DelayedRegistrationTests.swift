import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// `delayRegistrationUntilContactKeyIsSet`.
struct DelayedRegistrationTests {
    private func delayedWorld() throws -> World {
        try World { $0.delayRegistrationUntilContactKeyIsSet = true }
    }

    @Test("REG-12: nothing of any kind leaves before a contact is named, whatever the app does; then REG-2 applies")
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
        await client.settled()
        #expect(await world.server.requests.isEmpty)
        let state = try await client.state()
        #expect(state.registration.reason == "waitingForContactKey")
        #expect(state.registration.nextAttemptAt == nil)
        try await client.identify(contactKey: "anna")
        await client.settled()
        let names = await world.server.names
        #expect(names.prefix(3) == ["POST /client", "POST /client/contact", "PUT /client/push-token"])
        #expect(names.contains("POST /client/registration"))
        #expect(await world.server.tracked.map(\.name) == ["event 0", "event 1", "event 2"])
        #expect(await world.server.tracked.allSatisfy { $0.contact == "anna" })
        await world.kill()
    }

    @Test("REG-12: a key, a key set in an edit and an OpenID token each release it", arguments: 0..<3)
    func release(by way: Int) async throws {
        let world = try delayedWorld()
        let token = openIDToken(for: "anna")
        await world.server.prove("anna", by: token)
        let client = try await world.start()
        try await client.track("early")
        await client.settled()
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

    @Test("REG-12, ID-4: a logout is told, so that the device ends to be the former person's; then it waits again")
    func logout() async throws {
        let world = try delayedWorld()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.settled()
        try await client.logout()
        await client.settled()
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        let before = await world.server.requests.count
        try await client.track("nobody's yet")
        try await client.edit { $0.addTag("sports") }
        try await client.flush()
        try await world.advance(by: 600)
        #expect(await world.server.requests.count == before)
        try await client.identify(contactKey: "bert")
        try await client.flush()
        #expect(await world.server.contact == "bert")
        #expect(await world.server.tracked.map(\.name) == ["nobody's yet"])
        await world.kill()
    }

    @Test("REG-12: who logged in and out without a network is told, too")
    func offline() async throws {
        let world = try delayedWorld()
        await world.server.set(isOffline: true)
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        try await client.track("as anna")
        try await client.logout()
        await client.settled()
        await world.server.set(isOffline: false)
        try await client.engine.becameOnline(true)
        await client.settled()
        #expect(
            await world.server.names == ["POST /client", "POST /client/contact", "POST /client/contact?anonymous=true"])
        await world.kill()
    }
}
