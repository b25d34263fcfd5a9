import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Changes between the scan of an audience and the transaction that stores its result.
struct AudienceInBetweenTests {
    /// Three people with a device each, and a campaign to two of them, planned while something happens.
    private static func story(
        _ action: @escaping @Sendable (ServiceWorld, [ServiceDevice], CampaignID) async throws -> Void
    ) async throws -> (world: ServiceWorld, devices: [ServiceDevice], campaign: CampaignID) {
        let world = try await ServiceWorld(isOneShard: true)
        var devices: [ServiceDevice] = []
        for (number, key) in ["anna", "bert", "cleo"].enumerated() {
            devices.append(try await ServiceDevice.registered(world, number + 1, key: key, token: "token\(number + 1)"))
        }
        let id = try await world.launch(audience: .contactKeys(["anna", "bert"]))
        let database = InterruptedDatabase(world.database, after: "AudienceScan") { [devices] in
            try await action(world, devices, id)
        }
        let planner = world.makePlanner(database, attempts: world.makeAttempts("a", over: database))
        while try await planner.planNext() {}
        return (world, devices, id)
    }

    private static func planned(_ world: ServiceWorld, _ id: CampaignID, _ devices: [ServiceDevice]) async throws
        -> [Bool]
    {
        var planned: [Bool] = []
        for device in devices { planned.append(try await world.delivery(id, device) != nil) }
        return planned
    }

    @Test("LED-1, SEC-8: a device that changes its contact meanwhile is evaluated again, the others are planned once")
    func moved() async throws {
        let (world, devices, id) = try await Self.story { _, devices, _ in
            var device = devices[0]
            try await device.identify("dora")
        }
        #expect(try await Self.planned(world, id, devices) == [false, true, false])
        #expect(try await world.counts(id).audience == 1)
    }

    @Test(
        "LED-1, SEC-8: one that joins a contact of the audience while another leaves it is evaluated again too"
    )
    func swapped() async throws {
        let (world, devices, id) = try await Self.story { _, devices, _ in
            var (first, last) = (devices[0], devices[2])
            try await first.identify("cleo")
            try await last.identify("anna")
        }
        #expect(try await Self.planned(world, id, devices) == [false, true, true])
    }

    @Test("REG-36: of a person who is erased meanwhile, nothing is kept")
    func erased() async throws {
        let (world, devices, id) = try await Self.story { world, _, _ in
            _ = try await world.contacts.erase("anna", app: world.app)
        }
        #expect(try await world.delivery(id, devices[1]) != nil)
        #expect(try await world.counts(id).audience == 1)
    }

    @Test("CAMP-2: a campaign that is cancelled meanwhile is planned as cancelled, once")
    func cancelled() async throws {
        let (world, _, id) = try await Self.story { world, _, id in
            _ = try await world.campaigns.life.cancel(id, app: world.app)
        }
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).cancelled == 2)
        #expect(world.transport.requests.isEmpty)
    }

    @Test("SEC-7, LED-1: an audience that changes meanwhile to one that only looks alike is selected anew")
    func lookalike() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let cities = ["Orl\u{E9}ans", "Orle\u{301}ans"]
        var devices: [ServiceDevice] = []
        for (number, city) in cities.enumerated() {
            var device = try await ServiceDevice.registered(
                world, number + 1, key: "k\(number)", token: "token\(number)")
            try await device.tell(["city": .string(city)], key: "k\(number)", tags: [])
            devices.append(device)
        }
        let audiences = cities.map { Condition.attribute("city", .equal(.string($0))) }
        let id = try await world.launch(audience: audiences[0])
        let database = InterruptedDatabase(world.database, after: "AudienceScan") {
            try await world.database.write { connection in
                let row = try #require(try connection.campaigns.find(id))
                var draft = row.campaign.draft
                draft.audience = audiences[1]
                try connection.campaigns.replaceAudience(draft, of: id)
            }
        }
        let planner = world.makePlanner(database, attempts: world.makeAttempts("a", over: database))
        while try await planner.planNext() {}
        #expect(try await Self.planned(world, id, devices) == [false, true])
    }

    @Test("LED-1: devices that another process has planned meanwhile are not planned twice")
    func plannedElsewhere() async throws {
        let (world, devices, id) = try await Self.story { world, _, _ in
            while try await world.planner.planNext() {}
        }
        #expect(try await Self.planned(world, id, devices) == [true, true, false])
        #expect(try await world.database.read { try $0.batchCount(of: id) } == 1)
    }

    @Test("SEC-8: a device that changes during every evaluation is left out, and delays nobody")
    func restless() async throws {
        let world = try await ServiceWorld()
        let restless = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let calm = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let id = try await world.launch(audience: .known(true))
        let app = world.app.id
        let database = InterruptedDatabase(world.database, after: "AudienceScan", isRepeated: true) {
            try await world.database.write { connection in
                guard var device = try connection.devices.find(app: app, client: restless.client) else { return }
                let key = "after \(device.contact ?? 0)"
                device.contact = try connection.contacts.findOrInsert(
                    app: app, key: key, known: true, now: ServiceWorld.epoch
                )
                try connection.devices.save(device)
            }
        }
        let planner = world.makePlanner(database, attempts: world.makeAttempts("a", over: database))
        while try await planner.planNext() {}
        #expect(try await world.delivery(id, calm) != nil)
        #expect(try await world.counts(id).audience == 1)
    }
}
