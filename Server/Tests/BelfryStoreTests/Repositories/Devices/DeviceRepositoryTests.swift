import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct DeviceRepositoryTests {
    private let token = "aaaabbbbccccdddd"

    @Test("STO-2: every column of a device is read back as it was written", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        var device = try await store.write { try $0.devices.findOrInsert(app: 1, client: client(1), now: storeEpoch) }
        #expect(device.pushToken == nil && device.pushEnabled == nil && device.optOut == nil && device.contact == nil)
        device.contact = 9
        device.linkGeneration = 3
        device.confirmedGeneration = 2
        device.pushToken = try PushToken(token, provider: .apns, environment: .sandbox)
        device.tokenAt = seconds(1)
        device.pushEnabled = true
        device.osPushEnabled = false
        device.optOut = OptOut(reason: .osSetting, at: seconds(2))
        device.system = SystemProperties(
            timeZone: "Europe/Paris", locale: "fr_FR", platform: "ios", osVersion: "18.0", appVersion: "1.0",
            sdkVersion: "2.0", deviceModel: "iPhone14,2"
        )
        device.lastOpenedAt = seconds(3)
        device.revision = 12
        device.applied = AppliedSnapshot(contact: 9, attributes: ["city": "Paris", "blank": ""], formerContacts: [8])
        device.tokenOrder = PropertyOrder(generation: 7, milliseconds: 4)
        device.propertiesOrder = PropertyOrder(generation: 8, milliseconds: 5)
        device.contactOrder = PropertyOrder(generation: 9, milliseconds: 6)
        device.knownTag = KnownTag(contact: 5, generation: 3)
        device.updatedAt = seconds(7)
        try await store.write { [device] in try $0.devices.save(device) }
        let id = device.id
        #expect(try await store.read { try $0.devices.find(id: id) } == device)
        #expect(try await store.read { try $0.devices.find(app: 1, client: client(1)) } == device)
        #expect(try await store.read { try $0.devices.find(app: 2, client: client(1)) } == nil)
        #expect(try await store.read { try $0.devices.page(ofContact: 9, limit: 2).devices } == [device])
    }

    @Test(
        "ADM-5, ID-4: a recipient has the tag that the device knows until a later link was heard",
        arguments: Engine.allCases)
    func knownTag(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let device = try await store.write { try $0.devices.findOrInsert(app: 1, client: client(1), now: storeEpoch) }
        let former = KnownTag(contact: 5, generation: 3)
        let cases: [(tag: KnownTag?, made: Int64, heard: Int64)] = [
            (nil, 3, 3), (former, 3, 2), (former, 3, 3), (former, 4, 3), (former, 4, 4),
        ]
        var found: [Int64?] = []
        for (tag, made, heard) in cases {
            found += try await store.write { connection in
                var row = device
                (row.contact, row.linkGeneration, row.confirmedGeneration, row.knownTag) = (9, made, heard, tag)
                try connection.devices.save(row)
                return try connection.recipients.find([row.id]).map(\.tagContact)
            }
        }
        #expect(found == [9, 5, 5, 5, 9])
    }

    @Test("WIRE-25: an installation is one device, however many calls create it at once", arguments: Engine.allCases)
    func once(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<60 {
                group.addTask {
                    try await store.write {
                        try $0.devices.findOrInsert(app: 1, client: client(number % 4), now: storeEpoch).id
                    }
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(ids.count == 4)
        #expect(try await store.read { try $0.devices.highestID() } == ids.max())
    }

    @Test("REG-27: the other holders of a token are those of the same app and push service", arguments: Engine.allCases)
    func holders(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let token = try PushToken(token, provider: .apns, environment: .production)
        let ids = try await store.write { connection in
            let own = try connection.hold(token, client: 1)
            let other = try connection.hold(token, client: 2)
            _ = try connection.hold(token, client: 3, app: 2)
            _ = try connection.hold(PushToken(token.value, provider: .fcm, environment: .production), client: 4)
            _ = try connection.hold(PushToken("eeee", provider: .apns, environment: .production), client: 5)
            return (own, other)
        }
        let others = try await store.read { try $0.devices.others(holding: token, app: 1, than: ids.0) }
        #expect(others.map(\.id) == [ids.1])
    }

    @Test("WIRE-20: a confirmed generation never goes back", arguments: Engine.allCases)
    func generations(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let id = try await store.write { connection in
            let id = try connection.devices.findOrInsert(app: 1, client: client(1), now: storeEpoch).id
            for generation: Int64 in [2, 5, 3] { try connection.devices.confirmGeneration(generation, of: id) }
            return id
        }
        #expect(try await store.read { try $0.devices.find(id: id)?.confirmedGeneration } == 5)
    }

    @Test(
        "REG-31: an opt-out counts for its token, and never replaces a person's",
        arguments: Engine.allCases)
    func optOut(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let token = try PushToken(token, provider: .apns, environment: .production)
        let invalid = OptOut(reason: .tokenInvalid, at: seconds(9))
        let reasons = try await store.write { connection in
            let plain = try connection.hold(token, client: 1)
            let renewed = try connection.hold(PushToken("new", provider: .apns, environment: .production), client: 2)
            let optedOut = try connection.hold(token, client: 3, optOut: OptOut(reason: .user, at: seconds(1)))
            let closed = try connection.hold(token, client: 4, optOut: OptOut(reason: .osSetting, at: seconds(1)))
            let ids = [plain, renewed, optedOut, closed]
            try connection.optOuts.record(
                ids.map { TokenOptOut(device: $0, token: token.value, optOut: invalid) }
            )
            return try ids.map { try connection.devices.find(id: $0)?.optOut }
        }
        #expect(reasons[0] == invalid)
        #expect(reasons[1] == nil)
        #expect(reasons[2]?.reason == .user)
        #expect(reasons[3]?.reason == .osSetting)
    }

    @Test("REG-32: a token that was registered after the push service's time stays", arguments: Engine.allCases)
    func optOutSince(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let token = try PushToken(token, provider: .apns, environment: .production)
        let id = try await store.write { try $0.hold(token, client: 1, tokenAt: seconds(10)) }
        for (since, optsOut) in [(9.0, false), (10, false), (10.001, true)] {
            let optOut = TokenOptOut(
                device: id, token: token.value, invalidSince: seconds(since),
                optOut: OptOut(reason: .tokenInvalid, at: seconds(20))
            )
            try await store.write { try $0.optOuts.record([optOut]) }
            #expect(try await store.read { try $0.devices.find(id: id)?.optOut != nil } == optsOut, "\(since)")
        }
    }

    @Test(
        "REG-33: lifting ends exactly the opt-outs of one reason, even if the token has gone",
        arguments: Engine.allCases)
    func lifting(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let token = try PushToken(token, provider: .apns, environment: .production)
        let google = try PushToken(token.value, provider: .fcm, environment: .production)
        let wrongKey = OptOut(reason: .providerAuthentication, at: seconds(1))
        let (lifted, left) = try await store.write { connection in
            try connection.hold(token, client: 1, optOut: wrongKey)
            try connection.hold(nil, client: 2, optOut: wrongKey)
            let other = try connection.hold(google, client: 3, optOut: wrongKey)
            try connection.hold(token, client: 4, app: 2, optOut: wrongKey)
            let optedOut = try connection.hold(token, client: 5, optOut: OptOut(reason: .user, at: seconds(1)))
            let lifting = OptOutLifting(.providerAuthentication, of: .apns)
            let found = try connection.optOuts.devices(for: lifting, app: 1)
            let some = try connection.optOuts.devices(for: lifting, app: 1, limit: 1)
            // The others of them are not to be lifted, whoever asks.
            try connection.optOuts.lift(lifting, of: found + [other, optedOut], now: seconds(2))
            return ([found.count, some.count], try connection.optedOut(app: 1))
        }
        #expect(lifted == [2, 1])
        #expect(left == [3, 5])
    }

    @Test("REG-35: lifting can be limited to the opt-outs since a moment", arguments: Engine.allCases)
    func liftingSince(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let token = try PushToken(token, provider: .apns, environment: .production)
        let left = try await store.write { connection in
            for number in 1...4 {
                let optOut = OptOut(reason: .tokenMalformed, at: seconds(Double(number)))
                try connection.hold(token, client: number, optOut: optOut)
            }
            let lifting = OptOutLifting(.tokenMalformed, of: .apns, since: seconds(3))
            let devices = try connection.optOuts.devices(for: lifting, app: 1)
            try connection.optOuts.lift(lifting, of: devices, now: seconds(5))
            return try connection.optedOut(app: 1)
        }
        #expect(left == [1, 2])
    }

    @Test(
        "WIRE-4: a refresh token is found by its hash, and newer generations end older ones", arguments: Engine.allCases
    )
    func refreshTokens(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            for generation: Int64 in 1...3 {
                try connection.refreshTokens.insert(
                    hash: [UInt8(generation)], device: 1, generation: generation, now: storeEpoch
                )
            }
            try connection.refreshTokens.insert(hash: [9], device: 2, generation: 1, now: storeEpoch)
            try connection.refreshTokens.deleteOlder(than: 3, device: 1)
        }
        #expect(try await store.read { try $0.refreshTokens.find(hash: [2]) } == nil)
        #expect(try await store.read { try $0.refreshTokens.find(hash: [3])?.generation } == 3)
        #expect(try await store.read { try $0.refreshTokens.find(hash: [9])?.device } == 2)
        await #expect(throws: (any Error).self) {
            try await store.write {
                try $0.refreshTokens.insert(hash: [3], device: 7, generation: 1, now: storeEpoch)
            }
        }
        #expect(try await store.read { try $0.refreshTokens.find(hash: [3])?.device } == 1)
    }
}

extension SQLConnection {
    @discardableResult
    fileprivate func hold(
        _ token: PushToken?, client number: Int, app: Int64 = 1, tokenAt: Date = storeEpoch, optOut: OptOut? = nil
    ) throws -> Int64 {
        var device = try devices.findOrInsert(app: app, client: client(number), now: storeEpoch)
        device.pushToken = token
        device.tokenAt = token == nil ? nil : tokenAt
        device.optOut = optOut
        try devices.save(device)
        return device.id
    }

    /// The numbers of the clients that are opted out, in order.
    fileprivate func optedOut(app: Int64) throws -> [Int] {
        try (1...9).filter { try devices.find(app: app, client: client($0))?.optOut != nil }
    }
}
