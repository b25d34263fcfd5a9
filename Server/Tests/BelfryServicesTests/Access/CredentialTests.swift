import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct CredentialTests {
    @Test("ADM-2, SEC-1: the stored credentials of each service are listed, without a secret")
    func listed() async throws {
        let world = try await ServiceWorld()
        #expect(try await world.apps.credentials(of: world.app).fcm == nil)
        world.clock.advance(by: 60)
        let webPush = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        let overview = try await world.apps.credentials(of: world.app)
        #expect(overview.apns?.facts?.topic == "com.example.shop")
        #expect(overview.apns?.updatedAt == ServiceWorld.epoch)
        #expect(overview.fcm?.facts?.projectID == ServiceAccountFile.projectID)
        #expect(overview.fcm?.facts?.clientEmail == ServiceAccountFile.clientEmail)
        #expect(overview.fcm?.updatedAt == world.clock.now)
        #expect(overview.webpush?.facts == webPush && webPush.publicKey.count == 87)
    }

    @Test("SEC-1: credentials that another secret key sealed are listed as such, and can be replaced")
    func unreadable() async throws {
        let world = try await ServiceWorld()
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE credentials SET sealed = ?", [.blob([1, 2, 3])])
        }
        let entry = try #require(try await world.apps.credentials(of: world.app).apns)
        #expect(entry.facts == nil)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.apps.credentials(of: world.app).apns?.facts != nil)
    }

    @Test(
        "PUSH-2, SEC-5: a service account is refused with every invalid field, and nothing is stored",
        arguments: [
            (["private_key": nil], nil, ["serviceAccount.private_key"]),
            (
                ["private_key": "no PEM", "project_id": ""], nil,
                ["serviceAccount.project_id", "serviceAccount.private_key"]
            ),
            (["type": "authorized_user"], "ftp://x", ["serviceAccount.type", "endpoint"]),
            (["token_uri": "https://127.0.0.1/token"], nil, ["serviceAccount.token_uri"]),
            (["token_uri": "http://127.0.0.1/token"], nil, ["serviceAccount.token_uri"]),
            (["token_uri": "http://example.com/token"], nil, ["serviceAccount.token_uri"]),
            (
                ["token_uri": "https://169.254.169.254/", "private_key": nil], "https://10.0.0.1",
                ["serviceAccount.private_key", "serviceAccount.token_uri", "endpoint"]
            ),
        ] as [([String: String?], String?, [String])]
    )
    func badServiceAccount(changes: [String: String?], endpoint: String?, fields: [String]) async throws {
        let world = try await ServiceWorld()
        let secret = TestKeys.fcm(changes, endpoint: endpoint)
        #expect(await rejectedFields { try await world.apps.putFCMCredentials(secret, app: world.app) } == fields)
        #expect(try await world.apps.credentials(of: world.app).fcm == nil)
    }

    @Test("SEC-5: a server on loopback accepts a token address on loopback, without TLS too")
    func loopback() async throws {
        let world = try await ServiceWorld()
        let apps = AppService(
            database: world.database, environment: world.environment, vault: CredentialVault(keys: world.keys),
            endpointPolicy: .loopback
        )
        let local = TestKeys.fcm(["token_uri": "http://127.0.0.1:8445/token"], endpoint: "https://127.0.0.1:8445")
        try await apps.putFCMCredentials(local, app: world.app)
        let elsewhere = TestKeys.fcm(["token_uri": "https://10.0.0.1/token"], endpoint: "https://127.0.0.1:8445")
        #expect(
            await rejectedFields { try await apps.putFCMCredentials(elsewhere, app: world.app) }
                == ["serviceAccount.token_uri"]
        )
    }

    @Test("PUSH-3: a key pair is refused with every invalid field")
    func badKeyPair() async throws {
        let world = try await ServiceWorld()
        let secret = TestKeys.webPush(subject: "ops", privateKey: "SECRET", trustRoots: "none")
        #expect(
            await rejectedFields { try await world.apps.putWebPushCredentials(secret, app: world.app) }
                == ["subject", "privateKey", "trustRoots"]
        )
    }

    @Test("ADM-2: removed credentials are gone, and later ones get a new revision")
    func removal() async throws {
        let world = try await ServiceWorld()
        let app = world.app.id
        @Sendable func revision() async throws -> Int64? {
            try await world.database.read { try $0.credentials.find(app: app, provider: .apns)?.revision }
        }
        #expect(try await revision() == 1)
        try await world.apps.removeCredentials(of: .apns, app: world.app)
        #expect(try await revision() == nil)
        #expect(try await world.apps.credentials(of: world.app).apns == nil)
        #expect(await errorCode { try await world.apps.removeCredentials(of: .apns, app: world.app) } == "notFound")
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await revision() == 3)
    }

    @Test("REG-22: a device without usable credentials says so, until there are some for its service")
    func noCredentials() async throws {
        let world = try await ServiceWorld()
        let android = try await ServiceDevice.started(world, 1)
        try await android.putToken("token1", provider: .fcm)
        let apple = try await ServiceDevice.registered(world, 2, token: "token2")
        var bare = try await ServiceDevice.started(world, 3)
        try await bare.register()
        try await world.process()

        func reasons() async throws -> [String?] {
            var reasons: [String?] = []
            for device in [android, apple, bare] {
                reasons.append(try await world.profile(device).pushEligibility.reason)
            }
            return reasons
        }
        #expect(try await reasons() == ["noCredentials", nil, "noToken"])
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        #expect(try await reasons() == [nil, nil, "noToken"])
        try await world.apps.removeCredentials(of: .apns, app: world.app)
        #expect(try await reasons() == [nil, "noCredentials", "noToken"])
        // An app without any is still being set up: there only the device counts.
        try await world.apps.removeCredentials(of: .fcm, app: world.app)
        #expect(try await reasons() == [nil, nil, "noToken"])
    }
}

/// The fields that `body` is refused for.
private func rejectedFields<Value>(_ body: () async throws -> Value) async -> [String] {
    do {
        _ = try await body()
        return []
    } catch ServiceError.invalidFields(let first, let others) {
        let all = [first] + others
        return all.allSatisfy { !$0.error.message.contains("SECRET") } ? all.map(\.field) : ["a secret is repeated"]
    } catch {
        return ["\(error)"]
    }
}
