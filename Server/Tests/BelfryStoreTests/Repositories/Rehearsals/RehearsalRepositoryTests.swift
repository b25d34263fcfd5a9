import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct RehearsalRepositoryTests {
    private static let lease = storeEpoch.addingTimeInterval(15)

    private static func start(
        _ connection: any SQLConnection, owner: String, until lease: Date = Self.lease
    ) throws -> Int64 {
        let campaign = try #require(CampaignID(1))
        let id = try connection.rehearsals.insert(campaign: campaign, app: 1, version: "draft", now: storeEpoch)
        _ = try connection.rehearsals.claim(owner: owner, until: lease, now: storeEpoch)
        return id
    }

    private static func begin(_ id: Int64, owner: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.rehearsals.begin(
            id, owner: owner, version: "draft", launchAt: storeEpoch, lastDevice: 9
        )
    }

    @Test(
        "CON-13: a worker that has lost its rehearsal removes nothing of what another one finds",
        arguments: Engine.allCases)
    func lost(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let rehearsals = connection.rehearsals
            let id = try Self.start(connection, owner: "slow", until: storeEpoch)
            #expect(try rehearsals.claim(owner: "quick", until: Self.lease, now: storeEpoch)?.id == id)
            #expect(try Self.begin(id, owner: "quick", connection))
            let page = RehearsalPage([RehearsedDevice(device: 7, outcome: 0, after: 0)])
            let packed = try #require(PackedRehearsalPage(page))
            #expect(try rehearsals.advance(id, owner: "quick", pages: [packed], reached: 7, audience: 1))
            #expect(try !Self.begin(id, owner: "slow", connection))
            #expect(try rehearsals.pages(of: id, after: 0, limit: 9) == [page])
            // Its owner begins anew.
            #expect(try Self.begin(id, owner: "quick", connection))
            #expect(try rehearsals.pages(of: id, after: 0, limit: 9).isEmpty)
        }
    }

    @Test(
        "REL-6, CON-13: what a dead process has leased by a clock a day ahead does not wait for that day",
        arguments: Engine.allCases)
    func clockSetBack(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let rehearsals = connection.rehearsals
            let id = try Self.start(connection, owner: "dead", until: seconds(86_400))
            #expect(try rehearsals.claim(owner: "next", until: Self.lease, now: storeEpoch) == nil)
            try rehearsals.endLeases()
            #expect(try rehearsals.claim(owner: "next", until: Self.lease, now: storeEpoch)?.id == id)
        }
    }

    /// Apps 1, 2 and 3 have asked for three, two and one.
    private static func ask(_ connection: any SQLConnection) throws -> [Int64] {
        let campaign = try #require(CampaignID(1))
        let apps: [Int64] = [1, 1, 1, 2, 2, 3]
        return try apps.map { app in
            try connection.rehearsals.insert(campaign: campaign, app: app, version: "draft", now: storeEpoch)
        }
    }

    @Test(
        "CON-13, SEC-9: apps take turns with their rehearsals, and of one app the oldest comes first",
        arguments: Engine.allCases)
    func turns(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let order = try await store.write { connection -> [Int?] in
            let rehearsals = connection.rehearsals
            let asked = try Self.ask(connection)
            var last = Int64.min
            var order: [Int?] = []
            for _ in asked {
                let found = try rehearsals.claim(after: last, owner: "worker", until: Self.lease, now: storeEpoch)
                let row = try #require(found)
                order.append(asked.firstIndex(of: row.id))
                last = row.app
                try rehearsals.end(row.id, owner: "worker", as: .done, figures: nil, problem: nil, now: storeEpoch)
            }
            return order
        }
        #expect(order == [0, 3, 5, 1, 4, 2])
    }

    @Test(
        "CON-13, SEC-9: several workers take rehearsals of apps that have none under way first",
        arguments: Engine.allCases)
    func severalWorkers(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (asked, taken) = try await store.write { connection -> ([Int64], [Int64?]) in
            let asked = try Self.ask(connection)
            // The fourth one had app 1 before, and meets only apps that have one under way.
            let places: [Int64] = [.min, .min, .min, 1]
            let taken = try places.enumerated().map { number, last in
                try connection.rehearsals.claim(
                    after: last, owner: "worker \(number)", until: Self.lease, now: storeEpoch
                )?.id
            }
            return (asked, taken)
        }
        let expected: [Int64?] = [asked[0], asked[3], asked[5], asked[4]]
        #expect(taken == expected)
    }

    @Test(
        "CON-12, ADM-7: of the events that a rehearsal asks for none lies between its devices, whosever it is",
        arguments: Engine.allCases)
    func events(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (devices, found) = try await store.write { connection -> ([Int64], [Int64]) in
            let own = try connection.makeDevices(2, app: 1)
            let other = try connection.makeDevices(1, app: 2)
            let last = try connection.devices.insert(app: 1, client: try client(9), now: storeEpoch).id
            // The second of them is in no audience, and has the oldest.
            for (second, device) in [own[1], other[0], own[1], own[0], last].enumerated() {
                let made = try event("e\(second)", at: seconds(Double(second)))
                _ = try connection.events.insert(
                    made, device: device, app: device == other[0] ? 2 : 1, contact: nil, now: storeEpoch
                )
            }
            let found = try connection.rehearsals.events(
                named: "purchase", of: [own[0], last], app: 1, since: storeEpoch, limit: 2
            )
            return ([own[0], last], found.map { one in one.device })
        }
        #expect(found == devices)
    }

    @Test("SEC-2, CON-12: how many events a rehearsal reads at once is counted in bytes", arguments: Engine.allCases)
    func eventBytes(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let device = try #require(try connection.makeDevices(1, app: 1).first)
            for number in 0..<3 {
                _ = try connection.events.insert(
                    try event("e\(number)", at: seconds(Double(number))), device: device, app: 1, contact: nil,
                    now: storeEpoch
                )
            }
            // A thousand letters of two bytes each.
            let text = String(repeating: "\u{E9}", count: 1_000)
            try connection.execute("UPDATE events SET attributes = ?", [.text("{\"text\":\"\(text)\"}")])
            func count(_ bytes: Int) throws -> Int? {
                try connection.rehearsals.eventCount(
                    named: "purchase", of: [device], app: 1, since: storeEpoch, limit: 9, maximumBytes: bytes
                )
            }
            #expect(try count(3_500) == 1)
            #expect(try count(5_000) == 2)
            #expect(try count(7_000) == nil)
        }
    }

    @Test(
        "CON-12, ADM-7: the events of a rehearsal are looked up by its devices, not by the range of their numbers",
        arguments: Engine.allCases)
    func eventPlan(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let plan = try await store.write { connection in
            for device: Int64 in 1...300 {
                let app: Int64 = device == 1 || device == 300 ? 1 : 2
                for number in 1...3 {
                    _ = try connection.events.insert(
                        try event("e\(number)"), device: device, app: app, contact: nil, now: storeEpoch
                    )
                }
            }
            try connection.analyze(engine)
            let question = RehearsalRepository.eventQuestion(
                named: "purchase", of: [1, 300], app: 1, since: storeEpoch, limit: 9, connection.dialect
            )
            return try connection.plan(of: question.sql, question.arguments, engine)
        }
        let lookUps = ["(device_id=?)", "Index Cond: (device_id = ANY ("]
        #expect(lookUps.contains { lookUp in plan.contains(lookUp) }, "\(plan)")
        #expect(!plan.contains("device_id>?") && !plan.contains("device_id >="), "\(plan)")
    }

    @Test(
        "CON-12, REG-36: an erased device goes from all that was rehearsed, however many rehearsals the app has",
        arguments: Engine.allCases)
    func forgotten(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let rehearsals = connection.rehearsals
            let device = try connection.devices.insert(app: 1, client: try client(1), now: storeEpoch).id
            let erased = RehearsedDevice(device: device, outcome: 0, after: 0)
            let other = RehearsedDevice(device: device + 2, outcome: 1, after: 5)
            let pages = [[erased, other], [erased], [other], []].map { PackedRehearsalPage(RehearsalPage($0)) }
            let ids = try (0..<240).map { number -> Int64 in
                let id = try Self.start(connection, owner: "worker")
                _ = try rehearsals.advance(
                    id, owner: "worker", pages: [pages[number % pages.count]].compactMap(\.self), reached: device,
                    audience: 1
                )
                return id
            }
            try rehearsals.forget(device: device)
            for (number, id) in ids.enumerated() {
                let left = try rehearsals.pages(of: id, after: 0, limit: 9).flatMap(\.devices)
                #expect(left == (number.isMultiple(of: 2) ? [other] : []))
            }
        }
    }
}
