import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-2: devices that are dead have a table of their own.
struct DormantDeviceRepositoryTests {
    private static let token = "aaaabbbbccccdddd"

    /// A device of which everything is known.
    private static func makeDevice(_ connection: any SQLConnection, _ number: Int = 1) throws -> DeviceRow {
        let contact = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
        var device = try connection.devices.insert(app: 1, client: try client(number), epoch: 3, now: storeEpoch)
        device.contact = contact
        device.linkGeneration = 3
        device.confirmedGeneration = 2
        device.pushToken = try PushToken("\(token)\(number)", provider: .apns, environment: .sandbox)
        device.tokenAt = seconds(1)
        device.pushEnabled = false
        device.osPushEnabled = true
        device.optOut = OptOut(reason: .user, at: seconds(2))
        device.system = SystemProperties(
            timeZone: "Europe/Paris", locale: "fr_FR", platform: "ios", osVersion: "18.0", appVersion: "1.0",
            sdkVersion: "2.0", deviceModel: "iPhone14,2"
        )
        device.lastOpenedAt = seconds(3)
        device.revision = 12
        device.applied = AppliedSnapshot(contact: contact, attributes: ["city": "Paris"], formerContacts: [8])
        device.tokenOrder = PropertyOrder(generation: 7, milliseconds: 4)
        device.propertiesOrder = PropertyOrder(generation: 8, milliseconds: 5)
        device.contactOrder = PropertyOrder(generation: 9, milliseconds: 6)
        device.orderEpoch = 4
        device.knownTag = KnownTag(contact: 5, generation: 3)
        device.updatedAt = seconds(7)
        try connection.devices.save(device)
        return device
    }

    private static func audience(_ connection: any SQLConnection) throws -> [[Int64?]] {
        try connection.query("SELECT device_id, contact_id FROM audience_1 ORDER BY device_id", []) {
            [$0.integer(0), $0.optionalInteger(1)]
        }
    }

    @Test("FLEET-2: a device comes back whole, under its number, and into the audience", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let device = try Self.makeDevice(connection)
            let other = try Self.makeDevice(connection, 2)
            let audience = try Self.audience(connection)
            try connection.silentPushes.insert([device.id, other.id], app: 1)
            try connection.dormantDevices.take([device.id], app: 1)
            #expect(try connection.devices.find(id: device.id) == nil)
            #expect(try connection.devices.link(id: device.id) == nil)
            #expect(try connection.devices.link(id: device.id, in: .dormant) == device.link)
            #expect(try connection.devices.findAnywhere(id: device.id) == device)
            #expect(try connection.dormantDevices.contains(device.id))
            #expect(try !connection.dormantDevices.contains(other.id))
            #expect(try Self.audience(connection) == audience.filter { $0[0] == other.id })
            #expect(try connection.silentPushes.find(device: device.id) == nil)
            #expect(try connection.silentPushes.find(device: other.id) != nil)

            #expect(try connection.dormantDevices.wake(device.id) == device)
            #expect(try connection.devices.find(id: device.id) == device)
            #expect(try !connection.dormantDevices.contains(device.id))
            #expect(try Self.audience(connection) == audience)
            for id in [device.id, other.id, 99] { #expect(try connection.dormantDevices.wake(id) == nil) }
        }
    }

    @Test(
        "FLEET-2, SEC-8: what a dead device has on its way to another contact belongs to its app",
        arguments: Engine.allCases
    )
    func movingWork(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let device = try Self.makeDevice(connection)
            let work = WorkSubject.eventMove(device: device.id, contact: 8)
            #expect(try connection.workAttempts.app(of: work) == 1)
            try connection.dormantDevices.take([device.id], app: 1)
            #expect(try connection.workAttempts.app(of: work) == 1)
            #expect(try connection.workAttempts.app(of: .eventMove(device: 99, contact: 8)) == nil)
        }
    }

    @Test("FLEET-2, REG-27: a token that a living device has by now is its own", arguments: Engine.allCases)
    func movedToken(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let device = try Self.makeDevice(connection)
            for (app, provider, at) in [(2, .apns, 20), (1, .fcm, 20), (1, .apns, 30), (1, .apns, 25)]
                as [(Int64, PushProvider, Double)]
            {
                try connection.dormantDevices.take([device.id], app: 1)
                var other = try connection.devices.insert(app: app, client: try client(9), now: storeEpoch)
                other.pushToken = try PushToken(
                    device.pushToken?.value ?? "", provider: provider, environment: .sandbox
                )
                other.tokenAt = seconds(at)
                try connection.devices.save(other)
                let woken = try #require(try connection.dormantDevices.wake(device.id))
                guard app == 1, provider == .apns else {
                    #expect(woken == device)
                    continue
                }
                #expect(woken.pushToken == nil && woken.tokenMovedAt == seconds(at) && woken.updatedAt >= seconds(at))
                #expect(try connection.devices.find(id: device.id) == woken)
                #expect(try connection.devices.find(id: other.id)?.pushToken == other.pushToken)
                // For the next turn.
                try connection.devices.delete(other.id)
                try connection.devices.save(device)
            }
        }
    }

    @Test("FLEET-2: operators find dormant devices among the others, in one order", arguments: Engine.allCases)
    func lists(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let ids = try (1...5).map { try Self.makeDevice(connection, $0).id }
            let anna = try #require(try connection.contacts.find(app: 1, key: "anna")).id
            try connection.dormantDevices.take([ids[1], ids[4]], app: 1)
            let devices = connection.devices
            let newest = Array(ids.reversed())
            #expect(try devices.list(app: 1, before: nil, limit: 9).devices.map(\.id) == newest)
            #expect(try devices.list(app: 1, before: ids[4], limit: 3).devices.map(\.id) == [ids[3], ids[2], ids[1]])
            let listed = try devices.list(app: 1, .contact(anna), before: nil, limit: 4)
            #expect(listed.devices.map(\.id) == Array(newest[..<4]) && listed.hasMore)
            #expect(try devices.list(app: 1, .client(client(2)), before: nil, limit: 4).devices.map(\.id) == [ids[1]])
            #expect(try devices.outlines(app: 1, client: client(2), limit: 4).map(\.id) == [ids[1]])
            #expect(try devices.list(app: 2, before: nil, limit: 9).devices.isEmpty)
            // Nobody has to look for a token that no push goes to.
            let tokens = ["\(Self.token)1", "\(Self.token)2"]
            #expect(try devices.list(app: 1, .pushTokens(tokens), before: nil, limit: 4).devices.map(\.id) == [ids[0]])
            #expect(try devices.outlines(ofContact: anna, limit: 4).map(\.id) == Array(newest[..<4]))
            #expect(try devices.ofContact(anna, limit: 4) { device in device.id } == Array(newest[..<4]))
            #expect(try devices.count(ofContact: anna) == 5)
            let counts = try [1, 3, 5, 9].map { try devices.count(ofContact: anna, upTo: $0) }
            #expect(counts == [1, 3, 5, 5])
            #expect(try devices.numbers(app: 1, before: ids[4], limit: 2) == [ids[3], ids[2]])
            #expect(try devices.numbers(app: 1, before: .max, limit: 9) == newest)
            #expect(try devices.clients(of: ids).count == 5)
            #expect(try devices.highestID() == ids[4])
            let page = try connection.people.devices(of: anna, after: ids[0], limit: 3)
            #expect(page.devices.map(\.id) == Array(ids[1...3]) && page.hasMore)
            let campaign = try connection.makeCampaign(app: 1)
            try connection.makeDelivery(campaign, to: ids[1], "accepted")
            try connection.makeDelivery(campaign, to: ids[2], "suppressed")
            let furthest = try connection.people.devices(of: anna, furthestIn: campaign, limit: 3)
            #expect(furthest.map(\.id) == [ids[1], ids[2], ids[4]])
            for id in ids { try connection.formerDevices.insert(id, of: 77, app: 1) }
            let former = try connection.people.formerDevices(of: 77, app: 1, after: ids[0], limit: 3)
            #expect(former.map(\.id) == Array(ids[1...3]))
        }
    }

    @Test(
        "REG-24, ADM-4: devices that have left and are there are found behind any number that are gone",
        arguments: Engine.allCases)
    func left(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let ids = try (1...6).map { try Self.makeDevice(connection, $0).id }
            for id in ids { try connection.formerDevices.insert(id, of: 77, app: 1) }
            for id in ids[..<4] { try connection.execute("DELETE FROM devices WHERE id = ?", [.integer(id)]) }
            try connection.dormantDevices.take([ids[4]], app: 1)
            func found(after number: Int64, limit: Int) throws -> [Int64] {
                try connection.people.formerDevices(of: 77, app: 1, after: number, limit: limit).map(\.id)
            }
            #expect(try found(after: 0, limit: 1) == [ids[4]])
            #expect(try found(after: 0, limit: 3) == [ids[4], ids[5]])
            #expect(try found(after: ids[4], limit: 3) == [ids[5]])
            #expect(try found(after: ids[5], limit: 3) == [])
        }
    }

    @Test(
        "ADM-5, CON-9: of the devices that have left, those come first to which a campaign came furthest for the person",
        arguments: Engine.allCases)
    func leftFurthest(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let ids = try (1...6).map { try Self.makeDevice(connection, $0).id }
            let contacts = try ["ann", "bert", "cleo"].map {
                try connection.contacts.findOrInsert(app: 1, key: $0, known: true, now: storeEpoch)
            }
            try connection.contacts.redirect(contacts[1], to: contacts[0], now: storeEpoch)
            let campaign = try connection.makeCampaign(app: 1)
            let rows: [(contact: Int64?, state: String)] = [
                (contacts[0], "suppressed"), (contacts[1], "accepted"), (contacts[2], "accepted"), (nil, "accepted"),
                (contacts[0], "accepted"), (contacts[1], "suppressed"),
            ]
            for (id, row) in zip(ids, rows) {
                try connection.formerDevices.insert(id, of: contacts[0], app: 1)
                try connection.makeDelivery(campaign, to: id, row.state)
                try connection.execute(
                    "UPDATE deliveries SET contact_id = ? WHERE campaign_id = ? AND device_id = ?",
                    [.optional(row.contact), .integer(campaign.number), .integer(id)]
                )
            }
            try connection.dormantDevices.take([ids[1]], app: 1)
            func furthest(_ limit: Int) throws -> [Int64] {
                try connection.people.formerDevices(of: contacts[0], app: 1, furthestIn: campaign, limit: limit)
                    .map(\.id)
            }
            #expect(try furthest(9) == [ids[4], ids[1], ids[5], ids[0]])
            #expect(try furthest(2) == [ids[4], ids[1]])
        }
    }

    @Test(
        "FLEET-2, WIRE-20: an id means to people the newest installation that has a contact, wherever it is",
        arguments: Engine.allCases)
    func ids(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let (devices, id) = (connection.devices, try client(1))
            let first = try Self.makeDevice(connection)
            let second = try Self.makeDevice(connection)
            let free = try devices.insert(app: 1, client: id, now: storeEpoch)
            let fresh = try devices.insert(app: 1, client: id, epoch: 1 << 40, now: storeEpoch)
            func meant() throws -> Int64? { try devices.find(app: 1, client: id)?.id }
            #expect(try meant() == second.id)
            try connection.dormantDevices.take([second.id], app: 1)
            #expect(try meant() == second.id)
            try connection.dormantDevices.take([free.id, fresh.id], app: 1)
            #expect(try meant() == second.id)
            try connection.dormantDevices.wake(second.id)
            try connection.dormantDevices.take([first.id], app: 1)
            #expect(try meant() == second.id)
            #expect(try devices.numbers(app: 1, client: id) == [first.id, second.id, free.id, fresh.id])
            #expect(try devices.installations(of: [id], app: 1) == [id.canonical: 4])
            #expect(try devices.unlinked(app: 1, client: id) == nil)
            #expect(try devices.unlinked(app: 1, client: id, in: .dormant)?.id == free.id)
            #expect(try devices.unconfirmed(app: 1, client: id, epoch: 1 << 40) == nil)
            #expect(try devices.unconfirmed(app: 1, client: id, epoch: 1 << 40, in: .dormant)?.id == fresh.id)
            #expect(try devices.hasOthers(of: first.contact ?? 0, than: second.id))
            try devices.delete(first.id)
            #expect(try !devices.hasOthers(of: second.contact ?? 0, than: second.id))
            #expect(try !connection.dormantDevices.contains(first.id))
        }
    }

    @Test("FLEET-2, REG-24: a contact whose devices are all dormant has devices", arguments: Engine.allCases)
    func contacts(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let device = try Self.makeDevice(connection)
            let anna = try #require(device.contact)
            let other = try connection.devices.insert(app: 1, client: try client(2), now: storeEpoch)
            try connection.formerDevices.insert(other.id, of: anna, app: 1)
            try connection.dormantDevices.take([device.id], app: 1)
            #expect(try connection.orphanedContacts.ties(of: anna)?.devices == true)
            #expect(try connection.orphanedContacts.list(app: 1, before: nil, limit: 9).contacts.isEmpty)
            try connection.devices.delete(device.id)
            #expect(try connection.orphanedContacts.ties(of: anna)?.devices == false)
            #expect(try connection.orphanedContacts.list(app: 1, before: nil, limit: 9).contacts.map(\.id) == [anna])
        }
    }

    @Test("FLEET-2: what operators write to a dormant device is written where it lies", arguments: Engine.allCases)
    func save(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            var device = try Self.makeDevice(connection)
            try connection.dormantDevices.take([device.id], app: 1)
            device.contact = 9
            device.epoch = 4
            device.updatedAt = seconds(60)
            try connection.devices.save(device)
            #expect(try connection.devices.findAnywhere(id: device.id) == device)
            device.lastOpenedAt = nil
            device.updatedAt = seconds(61)
            try connection.devices.save(device)
            #expect(try connection.devices.findAnywhere(id: device.id) == device)
            #expect(try connection.dormantDevices.contains(device.id))
            #expect(try Self.audience(connection).isEmpty)
            #expect(try connection.dormantDevices.wake(device.id) == device)
            #expect(try Self.audience(connection) == [[device.id, 9]])
        }
    }

    @Test("FLEET-2: what waits for a device is found", arguments: Engine.allCases)
    func waiting(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let ids = try (1...10).map { try Self.makeDevice(connection, $0).id }
            try connection.makeWaitingWork(for: ids)
            let expected: [Set<DeviceActivity.WaitingWork>] = [
                [], [.registration], [.takeover], [.delivery], [.silentPush], [.attempt], [.attempt], [], [], [],
            ]
            let found = try connection.dormantDevices.activities(of: ids)
            #expect(found.map(\.device) == ids)
            #expect(found.map(\.waiting) == expected)
            let range = ids[0]...ids[9]
            #expect(try connection.dormantDevices.inactive(range, since: seconds(8)) == found)
            #expect(try connection.dormantDevices.inactive(range, since: seconds(7)).isEmpty)
            #expect(try connection.dormantDevices.inactive(ids[1]...ids[2], since: seconds(8)) == Array(found[1...2]))
            let device = try #require(try connection.devices.find(id: ids[0]))
            #expect(found[0].consent == device.consent && found[0].app == 1)
            #expect(found[0].lastOpenedAt == seconds(3) && found[0].updatedAt == seconds(7))
            // Who is dormant is not looked at, nor who gets pushes.
            try connection.dormantDevices.take([ids[0]], app: 1)
            var reachable = try #require(try connection.devices.find(id: ids[9]))
            (reachable.pushEnabled, reachable.optOut) = (true, nil)
            try connection.devices.save(reachable)
            #expect(try connection.dormantDevices.activities(of: [ids[0], ids[1]]).map(\.device) == [ids[1]])
            let inactive = try connection.dormantDevices.inactive(range, since: seconds(9_000))
            #expect(inactive.map(\.device) == Array(ids[1...8]))
        }
    }
}

extension SQLConnection {
    fileprivate func makeDelivery(_ campaign: CampaignID, to device: Int64, _ state: String) throws {
        try execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at) VALUES (?, ?, ?, 0, 0)
            """,
            [.integer(campaign.number), .integer(device), .text(state)]
        )
    }

    /// Nothing for the first and for the last three of ten devices, something for each of the others.
    fileprivate func makeWaitingWork(for ids: [Int64]) throws {
        for (number, status) in [(1, "received"), (6, "processed")] {
            try registrations.insert(
                device: ids[number], snapshot: snapshot("r-\(number)", revision: 1), requestOrder: 1, now: storeEpoch
            )
            try execute(
                "UPDATE registrations SET status = ? WHERE device_id = ?", [.text(status), .integer(ids[number])]
            )
        }
        try execute(
            """
            INSERT INTO takeover_offers (device_id, contact_id, former_contact_id, former_device_id, offered_at)
            VALUES (?, 1, 2, 3, 0)
            """,
            [.integer(ids[2])]
        )
        let sending = try makeCampaign(.sending, app: 1)
        try makeDelivery(sending, to: ids[3], "pending")
        try makeDelivery(sending, to: ids[7], "accepted")
        try makeDelivery(try makeCampaign(.cancelled, app: 1), to: ids[7], "pending")
        // It waits for the device, wherever that is.
        let inApp = try makeCampaign(.active, app: 1)
        try execute("UPDATE campaigns SET kind = 'inApp' WHERE id = ?", [.integer(inApp.number)])
        try makeDelivery(inApp, to: ids[8], "pending")
        try silentPushes.insert([ids[4], ids[8]], app: 1)
        try execute("UPDATE silent_pushes SET due_at = 5 WHERE device_id = ?", [.integer(ids[4])])
        let registration = try first("SELECT id FROM registrations WHERE device_id = ?", [.integer(ids[6])]) {
            $0.integer(0)
        }
        for subject in [WorkSubject.silentPush(device: ids[5]), .registration(registration ?? 0)] {
            try workAttempts.save(
                WorkAttempt(subject: subject, app: 1, attempts: 1, leaseUntil: storeEpoch, since: storeEpoch)
            )
        }
    }
}
