import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@Suite("Credentials in the store")
struct CredentialRepositoryTests {
    @Test(
        "SEC-1, ADM-2: removed credentials are gone, and no revision is used twice", arguments: Engine.allCases
    )
    func removal(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        var revisions: [Int64] = []
        for round in 1...3 {
            let bytes: [UInt8] = [UInt8(round), 0]
            try await store.write { try $0.credentials.save(bytes, app: 1, provider: .fcm, now: storeEpoch) }
            let record = try await store.read { try $0.credentials.find(app: 1, provider: .fcm) }
            #expect(record?.sealed == bytes)
            revisions.append(record?.revision ?? 0)
            #expect(try await store.read { try $0.credentials.all(app: 1).keys.contains(.fcm) })
            #expect(try await store.read { try !$0.credentials.all(app: 1).keys.contains(.apns) })
            #expect(try await store.read { try $0.credentials.all(app: 2).isEmpty })

            try await store.write { try $0.credentials.remove(app: 1, provider: .fcm, now: seconds(1)) }
            #expect(try await store.read { try $0.credentials.find(app: 1, provider: .fcm) } == nil)
            #expect(try await store.read { try $0.credentials.all(app: 1).isEmpty })
        }
        #expect(revisions == [1, 3, 5])
    }

    @Test("REG-35: opt-outs by another service's responses are found, since their time", arguments: Engine.allCases)
    func optOutsOfOthers(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            var device = try connection.devices.findOrInsert(app: 1, client: try client(1), now: storeEpoch)
            device.pushToken = try PushToken("token", provider: .fcm, environment: .production)
            device.optOut = OptOut(reason: .tokenMalformed, at: seconds(10))
            try connection.devices.save(device)
        }
        func found(
            _ app: Int64, except provider: PushProvider, _ reason: OptOutReason, since: TimeInterval
        ) async throws -> Bool {
            try await store.read {
                try $0.optOuts.exist(app: app, except: provider, reason: reason, since: seconds(since))
            }
        }
        #expect(try await found(1, except: .apns, .tokenMalformed, since: 10))
        #expect(try await !found(1, except: .fcm, .tokenMalformed, since: 10))
        #expect(try await !found(1, except: .apns, .tokenMalformed, since: 10.001))
        #expect(try await !found(1, except: .apns, .tokenInvalid, since: 0))
        #expect(try await !found(2, except: .apns, .tokenMalformed, since: 0))
    }
}
