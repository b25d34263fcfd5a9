import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-2: how dormant devices come back.
struct WokenDeviceTests {
    private typealias Call = @Sendable (_ device: inout ServiceDevice) async throws -> Void

    /// Each kind of call that a device makes.
    private static let calls: [(name: String, call: Call)] = [
        ("events", { try await $0.track(.test("e1", .sessionStart, at: $0.world.clock.now)) }),
        ("registration", { _ = try await $0.register() }),
        ("a badge", { _ = try await badges(of: $0.world).badge(of: $0.authenticated()) }),
        ("another badge", { _ = try await badges(of: $0.world).set(3, revision: nil, of: $0.authenticated()) }),
        ("centers", { _ = try await $0.world.inboxService.centers(for: $0.authenticated()) }),
        ("a center", { _ = try await $0.world.inboxService.messages(in: "Primary", for: $0.authenticated()) }),
        ("the inbox of v3", { _ = try await $0.world.inboxService.newest(for: $0.authenticated()) }),
        ("in-app messages", { _ = try await $0.world.inApp.sync(since: nil, for: $0.authenticated()) }),
        ("inline messages", { _ = try await v3InApp(of: $0.world).inline(["top"], for: $0.authenticated()) }),
        ("a token", { try await $0.putToken("token1") }), ("no token", { try await $0.deleteToken() }),
        ("its link", { _ = try await $0.world.clients.checkLink(of: $0.authenticated()) }),
        ("properties", { try await put(SystemProperties(platform: "ios"), of: &$0) }),
        ("the same login", { try await $0.identify("anna") }), ("another login", { try await $0.identify("bert") }),
        ("a logout", { try await $0.linkAnonymously() }), ("a refresh", { try await $0.refresh() }),
    ]

    private static func badges(of world: ServiceWorld) -> BadgeService {
        BadgeService(database: world.database, keys: world.keys)
    }

    private static func v3InApp(of world: ServiceWorld) -> V3InAppService {
        V3InAppService(database: world.database, keys: world.keys, environment: world.environment)
    }

    private static func put(
        _ system: SystemProperties, of device: inout ServiceDevice, by v3: V3Caller? = nil
    ) async throws {
        var caller = device.caller()
        caller.v3 = v3
        device.state = try await device.world.clients.putProperties(system, osPushEnabled: nil, caller: caller)
            .clientState
    }

    @Test("FLEET-2: any call of a device brings it back under its number, and into the audience")
    func everyCall() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna")
        let number = try await device.row.id
        for (name, call) in Self.calls {
            try await world.putAway(device)
            #expect(try await world.deviceCounts() == [0, 1, 0], "\(name)")
            world.clock.advance(by: 1)
            try await call(&device)
            #expect(try await world.deviceCounts() == [1, 0, 1], "\(name)")
            #expect(try await device.row.id == number, "\(name)")
            let isInAudience = "contact_id = (SELECT contact_id FROM devices)"
            #expect(try await world.rows("audience_\(world.app.id)", where: isInAudience) == 1, "\(name)")
        }
        try await world.process()
    }

    @Test("FLEET-2, PERF-3: for a device that lives nobody looks among the dormant ones")
    func cost() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let database = CountingDatabase(world.database)
        let (keys, environment, caller) = (world.keys, world.environment, try device.authenticated())
        let links = LinkService(database: database, keys: keys, environment: environment)
        _ = try await links.refresh(device.refreshToken ?? "", caller: device.caller())
        let clients = ClientService(database: database, keys: keys, environment: environment)
        let token = try clients.pushToken("token2", provider: .apns, environment: .production)
        _ = try await clients.putPushToken(token, caller: caller)
        let events = EventIngestion(database: database, keys: keys, environment: environment, metrics: world.metrics)
        _ = try await events.store([.test("e1", .sessionStart, at: world.clock.now)], caller: caller)
        let inbox = InboxService(database: database, keys: keys, environment: environment)
        _ = try await inbox.centers(for: caller)
        _ = try await inbox.messages(in: "Primary", for: caller)
        let inApp = InAppService(database: database, keys: keys, environment: environment)
        _ = try await inApp.sync(since: nil, for: caller)
        _ = try await BadgeService(database: database, keys: keys).set(3, revision: nil, of: caller)
        let registrations = RegistrationIngestion(
            database: database, keys: keys, environment: environment, received: world.received
        )
        _ = try await registrations.receive(device.snapshot(revision: 2), caller: caller)
        let statements = (Array(database.written.keys) + Array(database.asked.keys)).map(\.statement)
        #expect(statements.contains { $0.contains("FROM devices") })
        #expect(statements.filter { $0.contains("dormant_devices") } == [])
    }

    @Test("FLEET-2: the receipt of a registration is found by a device that was dormant")
    func receipt() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let id = try await device.register().registrationID
        try await world.process()
        try await world.putAway(device)
        let receipt = try await world.registrations.receipt(id, caller: device.authenticated()).value
        #expect(receipt.status == .processed)
        #expect(try await world.deviceCounts() == [1, 0, 1])
    }

    @Test("FLEET-2, FLEET-4: who goes on without waiting for a write is told that one is to be made, and nothing else")
    func quickReads() async throws {
        let world = try await ServiceWorld()
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.sync()
        let caller = try phone.device.authenticated()
        try await world.putAway(phone.device)
        let centers = try await withCheckedThrowingContinuation { continuation in
            world.inboxService.centers(for: caller) { continuation.resume(with: $0.map { $0 == nil }) }
        }
        let center = try await withCheckedThrowingContinuation { continuation in
            world.inboxService.messages(in: "Primary", for: caller) { continuation.resume(with: $0.map { $0 == nil }) }
        }
        #expect(centers && center)
        #expect(try await phone.quickAnswer() == nil)
        #expect(try await world.deviceCounts() == [0, 1, 0])
    }

    @Test("FLEET-2: calls of one dormant device that come together bring it back once, and lose nothing")
    func together() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await world.putAway(device)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 { group.addTask { try await device.track(.test("e\(number)")) } }
            try await group.waitForAll()
        }
        #expect(try await world.deviceCounts() == [1, 0, 1])
        #expect(try await world.rows("events") == 12)
    }

    @Test("FLEET-2, WIRE-20: a call that is refused brings nobody back, and is refused as ever")
    func rejected() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let old = device
        world.clock.advance(by: 1)
        try await device.identify("anna")
        try await device.track(.test("e1"))
        try await world.putAway(device)
        #expect(await errorCode { try await old.track(.test("e2")) } == "contactTokenInvalid")
        let fetch = await errorCode { try await world.inboxService.centers(for: old.authenticated()) }
        #expect(fetch == "contactTokenInvalid")
        let refresh = await errorCode {
            var old = old
            try await old.refresh()
        }
        #expect(refresh == "registerAnew")
        #expect(try await world.deviceCounts() == [0, 1, 0])
    }

    @Test("FLEET-2, WIRE-20: an id alone brings back the installation that nobody has linked, and no other")
    func impostors() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await world.putAway(device)
        _ = try await ServiceDevice.started(world, 1)
        #expect(try await world.deviceCounts() == [1, 1, 1])

        var unlinked = try ServiceDevice(world, 2)
        try await Self.put(SystemProperties(locale: "fr"), of: &unlinked)
        try await world.putAway(unlinked)
        #expect(try await world.deviceCounts() == [1, 2, 1])
        var again = try ServiceDevice(world, 2)
        try await Self.put(SystemProperties(platform: "ios"), of: &again)
        #expect(try await world.deviceCounts() == [2, 1, 2])
        let profile = try await world.profile(again)
        #expect(profile.device.system.locale == "fr" && profile.device.system.platform == "ios")
    }

    @Test("FLEET-2, WIRE-29: a client of v3 comes back by its state alone, and stays served in its words")
    func v3() async throws {
        let world = try await ServiceWorld()
        let v3 = try #require(V3Caller(version: "3.11.0", mode: "production"))
        var device = try ServiceDevice(world, 1)
        try await Self.put(SystemProperties(platform: "android"), of: &device, by: v3)
        try await device.linkAnonymously()
        try await device.track(.test("e1"))
        let number = try await device.row.id
        try await world.putAway(device)
        device.contactToken = nil
        device.refreshToken = nil
        world.clock.advance(by: 1)
        try await device.identify("anna")
        #expect(try await device.row.id == number)
        #expect(try await device.row.v3?.version == "3.11.0")
        #expect(try await world.deviceCounts() == [1, 0, 1])
        #expect(try await world.owners() == ["e1": "anna"])
    }

    @Test("FLEET-2, REG-27: the token of a dormant device goes when another one has it by now; its next sync says so")
    func token() async throws {
        let world = try await ServiceWorld()
        var phone = InAppPhone(try await world.optedOutDevice(1))
        world.clock.advance(by: 60)
        try await phone.sync()
        try await world.putAway(phone.device)
        world.clock.advance(by: 60)
        let moved = world.clock.now
        let other = try await ServiceDevice.started(world, 2)
        try await other.putToken("token1")
        world.clock.advance(by: 60)
        #expect(try await world.profile(phone.device).device.pushToken?.value == "token1")
        #expect(try await phone.sync().hasLostToken)
        let row = try await phone.device.row
        #expect(row.pushToken == nil && row.tokenMovedAt == moved)
        #expect(try await other.row.pushToken?.value == "token1")
    }
}
