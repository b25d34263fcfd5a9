import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct SilentPushRepositoryTests {
    private static let interval = SilentPushBudget.interval

    @Test("PUSH-7: a push is due exactly for devices that can be woken", arguments: Engine.allCases)
    func whoCanBeWoken(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let owed = try await store.write { connection in
            func make(_ number: Int, _ change: (inout DeviceRow) throws -> Void) throws -> Int64 {
                var device = try connection.devices.insert(app: 1, client: client(number), now: storeEpoch)
                device.pushToken = try PushToken("token\(number)", provider: .apns, environment: .production)
                try change(&device)
                try connection.devices.save(device)
                return device.id
            }
            let devices = [
                try make(1) { _ in },
                try make(2) { $0.pushToken = try PushToken("token2", provider: .fcm, environment: .production) },
                try make(3) { $0.pushToken = try PushToken("token3", provider: .webpush, environment: .production) },
                try make(4) { $0.pushToken = nil },
                try make(5) { $0.pushEnabled = false },
                try make(6) { $0.osPushEnabled = false },
                try make(7) { $0.optOut = OptOut(reason: .tokenInvalid, at: storeEpoch) },
                // The operator caused the wrong credentials, not the device (REG-33).
                try make(8) { $0.optOut = OptOut(reason: .providerAuthentication, at: storeEpoch) },
            ]
            try connection.silentPushes.request(.inApp, devices: devices, interval: Self.interval, now: storeEpoch)
            return try devices.map { try connection.silentPushes.find(device: $0) != nil }
        }
        #expect(owed == [true, true, false, false, false, false, false, true])
    }

    @Test(
        "PUSH-7: a reason by SQL follows the rules, in any state of the device",
        arguments: Engine.allCases)
    func requests(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        var dice = SeededGenerator(seed: 3)
        let states = (1...300).map { _ in Self.state(&dice) }
        let now = seconds(10_000)
        let (stored, nextDue) = try await store.write { connection in
            let rows = try states.enumerated().map { number, state in
                var device = try connection.devices.insert(app: 1, client: client(number + 1), now: storeEpoch)
                device.pushToken = try PushToken("token\(number)", provider: .apns, environment: .production)
                try connection.devices.save(device)
                return SilentPushRow(device: device.id, state: state)
            }
            let devices = rows.map(\.device)
            try connection.silentPushes.request(.inApp, devices: devices, interval: Self.interval, now: storeEpoch)
            try connection.silentPushes.save(rows, owner: nil)
            try connection.silentPushes.request(.messageCenter, devices: devices, interval: Self.interval, now: now)
            return (
                try devices.map { try connection.silentPushes.find(device: $0) },
                try connection.silentPushes.nextDue()
            )
        }
        let expected = states.map { state in
            var state = state
            state.request(.messageCenter, at: now)
            return state
        }
        #expect(stored == expected)
        #expect(nextDue == [1: try #require(expected.compactMap(\.dueAt).min())])
    }

    @Test("IAM-15: a question by SQL follows the rules, in any state of the device", arguments: Engine.allCases)
    func questions(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        var dice = SeededGenerator(seed: 4)
        let states = (1...300).map { _ in Self.state(&dice) }
        let now = seconds(10_000)
        let stored = try await store.write { connection in
            try connection.inAppRevisions.advance(
                app: 1, volatile: false, entrances: AudienceEntrances(to: .tag("a")), now: storeEpoch
            )
            let devices = try Self.fleet(states.count, connection)
            let rows = zip(devices, states).map { SilentPushRow(device: $0, state: $1) }
            try connection.silentPushes.insert(devices, app: 1)
            try connection.silentPushes.save(rows, owner: nil)
            // No audience asks for these.
            try connection.silentPushes.ask([.attributes, .events], devices: devices, now: now)
            #expect(try devices.map { try connection.silentPushes.find(device: $0) } == states)
            try connection.silentPushes.ask([.attributes, .tags], devices: devices, now: now)
            return try devices.map { try connection.silentPushes.find(device: $0) }
        }
        let expected = states.map { state in
            var state = state
            state.request(.question([.attributes, .tags]), at: now)
            return state
        }
        for (index, state) in stored.enumerated() { #expect(state == expected[index], "\(states[index])") }
    }

    private static func state(_ dice: inout SeededGenerator) -> SilentPushState {
        func moment() -> Date? {
            Bool.random(using: &dice) ? seconds(Double(Int.random(in: 0...20_000, using: &dice))) : nil
        }
        func reasons() -> SilentPushReasons {
            [[], .inApp, .messageCenter, .question(.tags), [.inApp, .question(.all)]].randomElement(using: &dice) ?? []
        }
        let (waiting, carried) = (reasons(), reasons())
        return SilentPushState(
            waiting: waiting, carried: carried, campaign: Bool.random(using: &dice) ? CampaignID(7) : nil,
            // What waits has a time.
            dueAt: waiting.isEmpty && carried.isEmpty ? moment() : moment() ?? seconds(9_000), triedAt: moment(),
            sentAt: moment(), acceptedSince: moment(), lookedAt: moment(),
            number: Int64.random(in: 0...9, using: &dice),
            attempts: Int.random(in: 0...9, using: &dice)
        )
    }

    @Test("PUSH-7: pushes are leased to one owner, who alone may end them", arguments: Engine.allCases)
    func leases(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let devices = try Self.fleet(3, connection)
            try connection.silentPushes.request(.inApp, devices: devices, interval: Self.interval, now: storeEpoch)
            let due = try connection.silentPushes.due(app: 1, now: storeEpoch, limit: 9, except: [devices[1]])
            #expect(due.map(\.device).sorted() == [devices[0], devices[2]])
            #expect(try connection.silentPushes.due(app: 2, now: storeEpoch, limit: 9).isEmpty)
            var rows = due
            for index in rows.indices { rows[index].state.dueAt = seconds(15) }
            try connection.silentPushes.save(rows, owner: "a")
            #expect(try connection.silentPushes.held(devices, owner: "a").count == 2)
            #expect(try connection.silentPushes.held(devices, owner: "b").isEmpty)
            try connection.silentPushes.renew(devices, owner: "a", until: seconds(30))
            #expect(try connection.silentPushes.due(app: 1, now: seconds(29), limit: 9).map(\.device) == [devices[1]])
            try connection.silentPushes.endLeases()
            // Work in progress is recorded, and belongs to no other worker by accident (SEC-8).
            #expect(try connection.silentPushes.due(app: 1, now: storeEpoch, limit: 9).map(\.device) == [devices[1]])
            let abandoned = { try connection.silentPushes.abandoned(now: storeEpoch, limit: 9).map(\.row.device) }
            #expect(try abandoned() == [devices[0], devices[2]])
            #expect(try connection.silentPushes.abandoned(now: storeEpoch, limit: 9, apps: [1]).isEmpty)
            #expect(try connection.silentPushes.nextDue()[1] == Date(milliseconds: 0))
            #expect(try connection.silentPushes.nextDue(includesLeased: false)[1] == storeEpoch)
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: .silentPush(device: devices[0]), attempts: 1, leaseUntil: storeEpoch, since: storeEpoch
                )
            )
            #expect(try abandoned() == [devices[2], devices[0]])
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: .silentPush(device: devices[2]), status: .quarantined, attempts: 3,
                    leaseUntil: storeEpoch, since: storeEpoch
                )
            )
            #expect(try abandoned() == [devices[0]])
        }
    }

    @Test("PUSH-7: due pushes are found by an index, app by app", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            let devices = try Self.fleet(300, connection)
            try connection.silentPushes.request(.inApp, devices: devices, interval: Self.interval, now: storeEpoch)
        }
        try await store.write { try $0.analyze(store.engine) }
        let plans = try await store.read { connection in
            [
                try connection.plan(
                    of: SilentPushRepository.dueSQL(connection.dialect),
                    [.integer(1 as Int64), .date(storeEpoch), .integers([]), .integer(9)], engine
                ),
                try connection.plan(of: SilentPushRepository.nextDueSQL(connection.dialect), [.integers([])], engine),
            ]
        }
        for plan in plans {
            #expect(plan.contains("silent_pushes_due"), "\(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }

    private static func fleet(_ count: Int, _ connection: any SQLConnection) throws -> [Int64] {
        try (1...count).map { number in
            var device = try connection.devices.insert(app: 1, client: client(number), now: storeEpoch)
            device.pushToken = try PushToken("token\(number)", provider: .apns, environment: .production)
            try connection.devices.save(device)
            return device.id
        }
    }
}
