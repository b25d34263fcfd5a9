import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// Traces of a person in the files of a device after their logout.
struct ForgottenPersonTests {
    /// The words that are still in one of the files.
    private func leftovers(in directory: URL, of words: [String]) throws -> [String] {
        var found: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let data = try Data(contentsOf: directory.appendingPathComponent(name))
            found += words.filter { data.range(of: Data($0.utf8)) != nil }.map { "\($0) is in \(name)" }
        }
        return found
    }

    /// Says who the person is, some of it twice, so that the file holds what was replaced.
    private func tell(_ client: BelfryClient) async throws {
        for city in ["forget-me-paris", "forget-me-lyon"] {
            try await client.edit { record in
                record.setAttribute("city", to: .string(city))
                record.addTag("forget-me-\(city)")
                record.setPartyIdentifier(type: "email", name: "primary", number: "forget-me-number")
            }
        }
    }

    @Test("ID-4: after a logout without a network neither key nor record of the person is in the files")
    func logout() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna-key")
        try await tell(client)
        try await client.flush()
        try await world.advance(by: 61)
        await world.server.set(isOffline: true)
        try await client.logout()
        // The test's server writes the name into its reference, so only a key itself counts.
        let found = try leftovers(in: world.directory, of: ["forget-me", #"ey":"anna-key"#])
        #expect(found.isEmpty)
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        await world.kill()
    }

    @Test("ID-4: when another person is identified, nothing of the former one's record is in the files")
    func nextPerson() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna-key")
        try await tell(client)
        await client.waitUntilIdle()
        try await client.identify(contactKey: "bert-key")
        let found = try leftovers(in: world.directory, of: ["forget-me"])
        #expect(found.isEmpty)
        await world.kill()
    }

    @Test("ID-3: after the response to the link an identity provider's token is in no file")
    func proof() async throws {
        let world = try World()
        let token = openIDToken(for: "anna")
        await world.server.prove("anna", by: token)
        let client = try await world.start()
        try await client.identify(openIDToken: token)
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        let found = try leftovers(in: world.directory, of: [token])
        #expect(found.isEmpty)
        await world.kill()
    }

    @Test("REG-36: switching tracking off leaves no event in the files")
    func tracking() async throws {
        let world = try World()
        let client = try await world.start()
        await world.server.set(isOffline: true)
        for number in 0..<50 {
            try await client.track("forget-me-\(number)")
        }
        try await client.setTrackingEnabled(false)
        let found = try leftovers(in: world.directory, of: ["forget-me"])
        #expect(found.isEmpty)
        await world.kill()
    }

    @Test("REG-36: a device that died between a wipe and the overwriting overwrites when it is opened")
    func diedBeforeOverwriting() async throws {
        let world = try World()
        let client = try await world.start()
        try await tell(client)
        await client.waitUntilIdle()
        world.mortality.doom(write: world.mortality.writes.count + 1, .afterWrite)
        await #expect(throws: BelfryError.self) { try await client.wipe() }
        // The files as a dead process leaves them: nobody has closed them.
        let heir = try World()
        try FileManager.default.createDirectory(at: heir.directory, withIntermediateDirectories: true)
        for name in ["belfry.sqlite", "belfry.sqlite-wal"] {
            try FileManager.default.copyItem(
                at: world.directory.appendingPathComponent(name), to: heir.directory.appendingPathComponent(name)
            )
        }
        await world.kill()
        let before = try leftovers(in: heir.directory, of: ["forget-me"])
        #expect(!before.isEmpty)
        let next = try heir.make()
        #expect(try await next.state().isResting)
        let found = try leftovers(in: heir.directory, of: ["forget-me"])
        #expect(found.isEmpty)
        await heir.kill()
    }

    @Test("REG-36: the directory is closed to others, even if it existed before")
    func directory() async throws {
        let world = try World()
        try FileManager.default.createDirectory(at: world.directory, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: world.directory.path)
        _ = try world.make()
        let attributes = try FileManager.default.attributesOfItem(atPath: world.directory.path)
        let mode = try #require(attributes[.posixPermissions] as? NSNumber)
        #expect(mode.intValue & 0o777 == 0o700)
        await world.kill()
    }
}
