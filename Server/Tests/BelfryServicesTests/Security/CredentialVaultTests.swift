import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct CredentialVaultTests {
    @Test("SEC-1: what is stored of credentials contains nothing of them")
    func sealed() async throws {
        let world = try await World()
        let secret = TestKeys.apns()
        try await world.apps.putAPNsCredentials(secret, app: world.app)
        let app = world.app.id
        let stored = try await world.database.read { try $0.credentials.find(app: app, provider: .apns) }
        let sealed = try #require(stored?.sealed)
        let base64 = secret.privateKey.split(separator: "\n").dropFirst().dropLast().joined()
        let der = try #require(Data(base64Encoded: base64))
        for plain in [Data(base64.prefix(24).utf8), Data(secret.topic.utf8), Data(secret.keyID.utf8), der.prefix(24)] {
            #expect(Data(sealed).range(of: plain) == nil)
        }
    }

    @Test("SEC-1: sealed credentials open with the same root secret, for the same app, unchanged")
    func opening() throws {
        let vault = CredentialVault(keys: TestKeys.server())
        let secret = TestKeys.apns()
        let sealed = try vault.seal(secret, app: 1)
        let credentials = try vault.openAPNs(sealed, app: 1)
        #expect(credentials.topic == secret.topic && credentials.privateKey.pemRepresentation == secret.privateKey)

        #expect(throws: (any Error).self) { try vault.openAPNs(sealed, app: 2) }
        let other = CredentialVault(keys: TestKeys.server("another secret of a server, long enough"))
        #expect(throws: (any Error).self) { try other.openAPNs(sealed, app: 1) }
        for index in [0, sealed.count / 2, sealed.count - 1] {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: (any Error).self) { try vault.openAPNs(changed, app: 1) }
        }
        #expect(throws: (any Error).self) { try vault.openAPNs([], app: 1) }
    }

    @Test("SEC-1: the same credentials are sealed differently each time")
    func nonce() throws {
        let vault = CredentialVault(keys: TestKeys.server())
        let secret = TestKeys.apns()
        #expect(try vault.seal(secret, app: 1) != vault.seal(secret, app: 1))
    }

    @Test("SEC-1: a blob that is moved to another app opens for neither: its campaign sends nothing")
    func movedBlob() async throws {
        let world = try await World()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let app = world.app.id
        try await world.makeFleet(1)
        try await world.database.write { connection in
            try connection.execute("DELETE FROM credentials")
            let stolen = try CredentialVault(keys: TestKeys.server()).seal(TestKeys.apns(), app: other.id)
            try connection.credentials.save(stolen, app: app, provider: .apns, now: World.epoch)
        }
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        #expect(world.carrier.requests.isEmpty)
        #expect(try await world.counts(id).pending == 1)
    }

    @Test("SEC-1: each purpose has a key of its own, and processes that share the root share them all")
    func derivation() {
        let keys = TestKeys.server()
        let all = [keys.contactToken, keys.clientState, keys.contactReference, keys.recipientMark]
        #expect(Set(all.map { key in key.withUnsafeBytes { Data($0) } }).count == all.count)
        #expect(keys.keyID == TestKeys.server().keyID)
        #expect(keys.contactToken == TestKeys.server().contactToken)
        #expect(keys.keyID != TestKeys.server("another secret of a server, long enough").keyID)
    }
}
