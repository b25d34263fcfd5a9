import BelfryModel
import BelfryPush
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What credentials of one push service lift, and of the others not (REG-33, REG-35).
struct CredentialLiftingTests {
    /// A device of each service, opted out for one reason.
    private static func makeFleet(_ world: ServiceWorld, _ reason: OptOutReason) async throws {
        let app = world.app.id
        let now = world.clock.now
        try await world.database.write { connection in
            for (index, provider) in PushProvider.allCases.enumerated() {
                var device = try connection.devices.findOrInsert(
                    app: app, client: ServiceWorld.client(index + 1), now: now
                )
                device.pushToken = try PushToken("token\(index)", provider: provider, environment: .production)
                device.optOut = OptOut(reason: reason, at: now)
                try connection.devices.save(device)
            }
        }
    }

    /// The services whose device is opted out still.
    private static func optedOut(_ world: ServiceWorld) async throws -> Set<PushProvider> {
        var all: Set<PushProvider> = []
        for (index, provider) in PushProvider.allCases.enumerated() {
            let device = try ServiceDevice(world, index + 1)
            if try await world.profile(device).device.optOut != nil { all.insert(provider) }
        }
        return all
    }

    private static func put(_ provider: PushProvider, _ world: ServiceWorld, other: Bool = false) async throws {
        switch provider {
        case .apns:
            let secret = TestKeys.apns(topic: other ? "com.example.other" : "com.example.shop")
            try await world.apps.putAPNsCredentials(secret, app: world.app)
        case .fcm:
            let secret = TestKeys.fcm(other ? ["project_id": "other"] : [:])
            try await world.apps.putFCMCredentials(secret, app: world.app)
        case .webpush:
            let secret = TestKeys.webPush(privateKey: other ? TestKeys.privateKey() : keyPair)
            try await world.apps.putWebPushCredentials(secret, app: world.app)
        }
    }

    private static let keyPair = TestKeys.privateKey()

    @Test(
        "REG-33: credentials lift the opt-outs that wrong ones caused, for their own service",
        arguments: PushProvider.allCases)
    func wrongCredentials(provider: PushProvider) async throws {
        let world = try await ServiceWorld()
        try await Self.makeFleet(world, .providerAuthentication)
        try await Self.put(provider, world)
        #expect(try await Self.optedOut(world) == Set(PushProvider.allCases).subtracting([provider]))
    }

    @Test(
        "REG-35: another topic, project or key pair lifts the service's token opt-outs; the same does not",
        arguments: PushProvider.allCases
    )
    func otherReach(provider: PushProvider) async throws {
        let world = try await ServiceWorld()
        for each in PushProvider.allCases { try await Self.put(each, world) }
        world.clock.advance(by: 60)
        try await Self.makeFleet(world, .tokenMalformed)
        try await Self.put(provider, world)
        #expect(try await Self.optedOut(world) == Set(PushProvider.allCases))
        try await Self.put(provider, world, other: true)
        #expect(try await Self.optedOut(world) == Set(PushProvider.allCases).subtracting([provider]))
    }

    @Test("REG-35: removed credentials lift their opt-outs", arguments: PushProvider.allCases)
    func removal(provider: PushProvider) async throws {
        let world = try await ServiceWorld()
        for each in PushProvider.allCases { try await Self.put(each, world) }
        for reason in [OptOutReason.tokenMalformed, .providerAuthentication, .user] {
            try await Self.makeFleet(world, reason)
            try await Self.put(provider, world)
            if reason == .tokenMalformed || reason == .user { try await Self.makeFleet(world, reason) }
            try await world.apps.removeCredentials(of: provider, app: world.app)
            let left = try await Self.optedOut(world)
            #expect(left.contains(provider) == (reason == .user))
        }
    }

    @Test(
        "REG-35, SEC-2: many are lifted in writes that end after half a second, and the credentials come with the last")
    func manyDevices() async throws {
        let world = try await ServiceWorld()
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            for number in 1...70 {
                var device = try connection.devices.findOrInsert(
                    app: app, client: ServiceWorld.client(number), now: now
                )
                device.pushToken = try PushToken("token\(number)", provider: .apns, environment: .production)
                device.optOut = OptOut(reason: .tokenMalformed, at: now)
                try connection.devices.save(device)
            }
        }
        await #expect(throws: ServiceError.self) {
            try await world.apps.putAPNsCredentials(
                TestKeys.apns(topic: "com.example.other"), app: world.app, over: CredentialRevision.nothing
            )
        }
        #expect(try await world.rows("devices", where: "opt_out_reason IS NOT NULL") == 70, "it was refused")
        let dying = AppService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.slowEnvironment,
            vault: CredentialVault(keys: world.keys), endpointPolicy: .publicOnly
        )
        await #expect(throws: MortalDatabase.Dead.self) {
            try await dying.putAPNsCredentials(TestKeys.apns(topic: "com.example.other"), app: world.app)
        }
        // Twenty go at a time, and after each a fifth of a second of half a second has passed.
        #expect(try await world.rows("devices", where: "opt_out_reason IS NOT NULL") == 10)
        #expect(try await world.apps.credentials(of: world.app).apns?.facts?.topic == "com.example.shop")
        try await Self.put(.apns, world, other: true)
        #expect(try await world.rows("devices", where: "opt_out_reason IS NOT NULL") == 0)
        #expect(try await world.apps.credentials(of: world.app).apns?.facts?.topic == "com.example.other")
    }

    @Test("REG-35: credentials are as old as they are stored, however long the lifting before took")
    func moment() async throws {
        let world = try await ServiceWorld()
        // What a campaign shows that is launched meanwhile, it shows of the former ones.
        let slow = InterruptedDatabase(world.database, after: "OptOutLifting") { world.clock.advance(by: 60) }
        try await world.apps(over: slow).putAPNsCredentials(
            TestKeys.apns(topic: "com.example.other"), app: world.app
        )
        let stored = try await world.apps.credentials(of: world.app).apns
        #expect(stored?.updatedAt == ServiceWorld.epoch.addingTimeInterval(60))
    }

    @Test("REG-35: a campaign's pause ends with the credentials of the service that caused it")
    func trouble() async throws {
        let world = try await ServiceWorld()
        for each in PushProvider.allCases { try await Self.put(each, world) }
        try await Self.makeFleet(world, .tokenMalformed)
        let id = try await world.launch()
        let since = world.clock.now
        try await world.database.write { connection in
            var row = try #require(try connection.campaigns.find(id))
            row.topicErrorsSince = since
            try connection.campaigns.save(row)
        }
        func trouble() async throws -> Date? {
            let app = world.app.id
            return try await world.database.read { try $0.campaigns.topicErrorsSince(app: app) }
        }
        world.clock.advance(by: 60)
        try await Self.put(.apns, world)
        #expect(try await Self.optedOut(world) == [.fcm, .webpush])
        #expect(try await trouble() != nil)
        try await Self.put(.fcm, world)
        #expect(try await Self.optedOut(world) == [.webpush])
        try await Self.put(.webpush, world)
        #expect(try await Self.optedOut(world) == [])
        #expect(try await trouble() == nil)
    }
}
