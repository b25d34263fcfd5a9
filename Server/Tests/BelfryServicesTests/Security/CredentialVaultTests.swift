import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct CredentialVaultTests {
    private typealias APNsSecret = CredentialVault.APNsSecret

    @Test("SEC-1: stored credentials reveal nothing of their content")
    func sealed() async throws {
        let world = try await ServiceWorld()
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
        let credentials = try vault.open(APNsSecret.self, sealed, app: 1)
        #expect(credentials.topic == secret.topic && credentials.privateKey.pemRepresentation == secret.privateKey)

        #expect(throws: (any Error).self) { try vault.open(APNsSecret.self, sealed, app: 2) }
        let other = CredentialVault(keys: TestKeys.server("another secret of a server, long enough"))
        #expect(throws: (any Error).self) { try other.open(APNsSecret.self, sealed, app: 1) }
        for index in [0, sealed.count / 2, sealed.count - 1] {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: (any Error).self) { try vault.open(APNsSecret.self, changed, app: 1) }
        }
        #expect(throws: (any Error).self) { try vault.open(APNsSecret.self, [], app: 1) }
    }

    @Test("SEC-1: credentials of each service open as their own type, and no other")
    func services() throws {
        let vault = CredentialVault(keys: TestKeys.server())
        let (fcm, webPush) = (TestKeys.fcm(endpoint: "https://fcm.example.com"), TestKeys.webPush())
        let sealedFCM = try vault.seal(fcm, app: 1)
        let sealedWebPush = try vault.seal(webPush, app: 1)
        let opened = try vault.open(CredentialVault.FCMSecret.self, sealedFCM, app: 1)
        #expect(opened.projectID == ServiceAccountFile.projectID && opened.endpoint.host == "fcm.example.com")
        let browsers = try vault.open(CredentialVault.WebPushSecret.self, sealedWebPush, app: 1)
        #expect(browsers.subject == webPush.subject)
        #expect(browsers.privateKey.pemRepresentation == webPush.privateKey)
        #expect(throws: (any Error).self) { try vault.open(APNsSecret.self, sealedFCM, app: 1) }
        #expect(throws: (any Error).self) { try vault.open(CredentialVault.FCMSecret.self, sealedWebPush, app: 1) }
        for sealed in [sealedFCM, sealedWebPush] {
            for plain in ["PRIVATE", ServiceAccountFile.clientEmail, webPush.subject] {
                #expect(Data(sealed).range(of: Data(plain.utf8)) == nil)
            }
        }
    }

    @Test("SEC-1: credentials that an earlier version sealed still open")
    func earlierVersion() throws {
        let secret = TestKeys.apns()
        let stored = """
            {"teamID":"TEAM123456","keyID":"KEY1234567","topic":"com.example.shop",\
            "privateKey":"\(secret.privateKey.replacing("\n", with: "\\n"))"}
            """
        let keys = TestKeys.server()
        let sealed = try keys.seal(Array(stored.utf8), context: "apns:1")
        let credentials = try CredentialVault(keys: keys).open(APNsSecret.self, sealed, app: 1)
        #expect(credentials.keyID == "KEY1234567")
    }

    @Test("SEC-1: the same credentials are sealed differently each time")
    func nonce() throws {
        let vault = CredentialVault(keys: TestKeys.server())
        let secret = TestKeys.apns()
        #expect(try vault.seal(secret, app: 1) != vault.seal(secret, app: 1))
    }

    @Test("SEC-1: a blob that is moved to another app opens for neither: its campaign sends nothing")
    func movedBlob() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let app = world.app.id
        try await world.makeFleet(1)
        try await world.database.write { connection in
            try connection.execute("DELETE FROM credentials")
            let stolen = try CredentialVault(keys: TestKeys.server()).seal(TestKeys.apns(), app: other.id)
            try connection.credentials.save(stolen, app: app, provider: .apns, now: ServiceWorld.epoch)
        }
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.counts(id).pending == 1)
    }

    @Test("SEC-1: each purpose has its own key, and processes that share the root share them all")
    func derivation() {
        let keys = TestKeys.server()
        let all = [keys.contactToken, keys.clientState, keys.contactReference, keys.recipientMark]
        #expect(Set(all.map { key in key.withUnsafeBytes { Data($0) } }).count == all.count)
        #expect(keys.keyID == TestKeys.server().keyID)
        #expect(keys.contactToken == TestKeys.server().contactToken)
        #expect(keys.keyID != TestKeys.server("another secret of a server, long enough").keyID)
    }
}
