import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Persons whom the server refuses, one after the other, on one device.
struct RejectedPersonTests {
    private let no = FakeServer.error(403, "fieldNotAllowed")

    @Test("ID-4, ID-8: after a logout a refused person's data is not the next one's")
    func logout() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.identify(openIDToken: openIDToken(for: "anna"))
        await client.waitUntilIdle()
        let former = try #require(await world.server.contact)
        try await client.edit { $0.setAttribute("city", to: "Paris") }
        try await client.track("as anna")
        try await client.setPushToken("abcdef", environment: .production)
        try await world.advance(by: 60)
        try await client.logout()
        try await client.track("between")
        try await world.advance(by: 60)
        let fresh = try #require(await world.server.contact)
        #expect(fresh.hasPrefix("anonymous-") && fresh != former)
        // It is the same installation: nothing else is sent again.
        #expect(await world.server.count("PUT /client/push-token") == 1)
        #expect(await world.server.count("POST /client") == 1)
        try await client.identify(contactKey: "bert")
        try await client.flush()
        let owners = await world.server.tracked.map { "\($0.name): \($0.contact)" }
        #expect(owners == ["as anna: \(former)", "between: \(fresh)"])
        await world.kill()
    }

    @Test("ID-4, ID-7: two persons who are refused after one offline period do not share a contact")
    func offline() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let former = try #require(await world.server.contact)
        await world.server.set(isOffline: true)
        try await client.identify(contactKey: "anna")
        try await client.track("as anna")
        try await client.logout()
        try await client.identify(contactKey: "bert")
        try await client.track("as bert")
        let next = try await world.restart()
        await next.waitUntilIdle()
        await world.server.script("POST /client/contact", .answer(no), .answer(no))
        await world.server.set(isOffline: false)
        try await next.networkReturns()
        try await next.flush()
        let contacts = await world.server.tracked.map(\.contact)
        #expect(contacts.count == 2 && contacts.first == former && contacts.last != former)
        #expect(contacts.allSatisfy { $0.hasPrefix("anonymous-") })
        await world.kill()
    }

    @Test("ID-4, ID-7: a refused person who follows a refused person has their own contact", arguments: 0..<3)
    func inARow(by way: Int) async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script("POST /client/contact", .answer(no), .answer(no))
        for person in ["anna", "bert"] {
            switch way {
            case 0: try await client.identify(contactKey: person)
            case 1: try await client.edit { $0.setContactKey(person) }
            default: try await client.identify(openIDToken: openIDToken(for: person))
            }
            try await client.track("as \(person)")
            try await client.flush()
        }
        #expect(await world.server.count("POST /client/contact?anonymous=true&fresh=true") == 1)
        let contacts = await world.server.tracked.map(\.contact)
        #expect(contacts.count == 2 && Set(contacts).count == 2)
        await world.kill()
    }

    @Test("ID-1, WIRE-25: a device that links again for the same person keeps its anonymous contact")
    func samePerson() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let contact = await world.server.contact
        await world.server.forgetRefreshTokens()
        try await client.track("on")
        try await client.flush()
        #expect(await world.server.contact == contact)
        #expect(await world.server.count("POST /client/contact?anonymous=true") == 2)
        await world.kill()
    }
}
