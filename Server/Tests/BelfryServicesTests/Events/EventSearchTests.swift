import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

@Suite("EVT-7: a search for events")
struct EventSearchTests {
    /// What was sent, device by device.
    private struct Sent: Hashable {
        let device: Int
        let at: Int
        let name: String
        let city: String
    }

    /// Devices with events at few moments, so that many are alike.
    private static func fill(_ world: ServiceWorld, devices: Int, dice: inout SeededGenerator) async throws -> [Sent] {
        try await world.makeFleet(devices)
        var all: [Sent] = []
        for device in 1...devices {
            // One of them has far more than a page reads at once.
            let count = device == devices / 2 ? 400 : Int.random(in: 0...6, using: &dice)
            for _ in 0..<count {
                all.append(
                    Sent(
                        device: device, at: Int.random(in: 0..<40, using: &dice),
                        name: Bool.random(using: &dice) ? "view" : "purchase",
                        city: Bool.random(using: &dice) ? "Paris" : "Rome"
                    )
                )
            }
        }
        let (events, app) = (all, world.app.id)
        try await world.database.write { connection in
            let numbers = try connection.devices.numbers(app: app, before: .max, limit: devices).reversed()
            let byDevice = Array(numbers)
            for (index, sent) in events.enumerated() {
                let at = Date(milliseconds: Int64(sent.at))
                let event = Event(
                    id: try EventID("e-\(index)"), kind: .custom, name: try EventName(sent.name), timestamp: at,
                    attributes: #"{"city":"\#(sent.city)"}"#
                )
                _ = try connection.events.insert(
                    event, device: byDevice[sent.device - 1], app: app, contact: nil, at: at, receivedAt: at
                )
            }
        }
        return all
    }

    @Test("SEC-2, EVT-7: who sent what was found is named without reading what is known of them")
    func names() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        try await device.track(.test("e1"))
        let counting = CountingDatabase(world.database)
        let found = try await DirectoryQueries(database: counting).events(
            .everybody, app: world.app, matching: EventFilter(), cursor: nil, limit: 10
        )
        #expect(!found.events.isEmpty && found.events.allSatisfy { event in event.contactKey == "ann" })
        let ofContacts = counting.asked.keys.filter { $0.statement.contains("FROM contacts") }
        #expect(!ofContacts.isEmpty)
        #expect(ofContacts.allSatisfy { sql in !sql.statement.contains("attributes") })
    }

    @Test("SEC-2, CON-9: a person's row is read as often for three devices as for one")
    func person() async throws {
        let world = try await ServiceWorld()
        var reads: [Int] = []
        for numbers in [1...1, 2...3] {
            for number in numbers { _ = try await ServiceDevice.registered(world, number, key: "ann") }
            let counting = CountingDatabase(world.database)
            let person = try await DirectoryQueries(database: counting).person(.key("ann"), app: world.app)
            #expect(person.devices.count == numbers.upperBound)
            let ofContacts = counting.asked.filter { statement, _ in
                statement.statement.contains("FROM contacts") && statement.statement.contains("attributes")
            }
            reads.append(ofContacts.values.reduce(0, +))
        }
        #expect(reads[0] > 0 && reads[1] == reads[0])
    }

    @Test(
        "EVT-7, ADM-7: page by page every event that is asked for comes once, the newest first, on pages of any size"
    )
    func pages() async throws {
        var dice = SeededGenerator(seed: 11)
        let world = try await ServiceWorld()
        let directory = DirectoryQueries(database: world.database)
        let devices = DirectoryQueries.eventDevices * 2 + 30
        let sent = try await Self.fill(world, devices: devices, dice: &dice)
        for (name, city, from, to, limit) in [
            (nil, nil, nil, nil, 50), ("purchase", nil, nil, nil, 7), (nil, "Rome", 10, 30, 50),
            ("view", "Paris", 39, nil, 200), (nil, nil, nil, 5, 3), ("nothing", nil, nil, nil, 50),
        ] as [(String?, String?, Int?, Int?, Int)] {
            var filter = EventFilter()
            filter.name = try name.map { try EventName($0) }
            filter.from = from.map { Date(milliseconds: Int64($0)) }
            filter.to = to.map { Date(milliseconds: Int64($0)) }
            if let city { filter.attributes = [EventFilter.Attribute(name: "city", value: city)] }
            var found: [String] = []
            var cursor: String?
            var pages = 0
            repeat {
                let page = try await directory.events(
                    .everybody, app: world.app, matching: filter, cursor: cursor, limit: limit
                )
                #expect(page.events.count <= limit)
                found += page.events.map { "\($0.at.milliseconds) \($0.client?.rawValue ?? "") \($0.name)" }
                cursor = page.cursor
                pages += 1
            } while cursor != nil && pages < 2_000
            let wanted = sent.filter { one in
                (name.map { $0 == one.name } ?? true) && (city.map { $0 == one.city } ?? true)
                    && (from.map { one.at >= $0 } ?? true) && (to.map { one.at < $0 } ?? true)
            }
            // The newest hundred devices first, and each hundred by time.
            func part(_ sent: Sent) -> Int { (devices - sent.device) / DirectoryQueries.eventDevices }
            let keys = try wanted.sorted { (part($0), -$0.at, -$0.device) < (part($1), -$1.at, -$1.device) }.map {
                one in
                let client = try ServiceWorld.client(one.device)
                return "\(one.at) \(client.rawValue)"
            }
            #expect(found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == keys, "\(filter)")
            #expect(found.filter { $0.hasSuffix("view") }.count == wanted.count { $0.name == "view" })
        }
    }

    @Test("EVT-7: one page looks through a limited number of devices, says where to go on, and ends")
    func bounded() async throws {
        let world = try await ServiceWorld()
        let directory = DirectoryQueries(database: world.database)
        try await world.makeFleet(DirectoryQueries.maximumEventDevices + 1)
        let first = try await directory.events(
            .everybody, app: world.app, matching: EventFilter(), cursor: nil, limit: 10
        )
        #expect(first.events.isEmpty)
        let cursor = try #require(first.cursor)
        let rest = try await directory.events(
            .everybody, app: world.app, matching: EventFilter(), cursor: cursor, limit: 10
        )
        #expect(rest == FoundEvents(events: [], cursor: nil))
        for bad in ["x", "", Base64URL.encode(Array("1:2:3".utf8)), Base64URL.encode(Array("1:2:x:e".utf8))] {
            let code = await errorCode {
                try await directory.events(
                    .everybody, app: world.app, matching: EventFilter(), cursor: bad, limit: 10
                )
            }
            #expect(code == "invalidCursor", "\(bad)")
        }
    }

    /// Events with 60 KB of attributes each, of one moment after the other.
    private static func giveLargeEvents(_ world: ServiceWorld, _ count: Int, to clients: [DeviceID]) async throws {
        let attributes = #"{"text":"\#(String(repeating: "a", count: 60_000))"}"#
        let app = world.app.id
        try await world.database.write { connection in
            for (number, client) in clients.enumerated() {
                let device = try #require(try connection.devices.find(app: app, client: client)).id
                for index in 0..<count {
                    let at = Date(milliseconds: Int64(1_000 * index + number))
                    let event = Event(
                        id: try EventID("e\(index)"), kind: .custom, name: try EventName("view"), timestamp: at,
                        attributes: attributes
                    )
                    _ = try connection.events.insert(
                        event, device: device, app: app, contact: nil, at: at, receivedAt: at
                    )
                }
            }
        }
    }

    @Test("SEC-2, EVT-7: a page of large events has a bounded number of bytes, and all of them come")
    func largePages() async throws {
        let world = try await ServiceWorld()
        let directory = DirectoryQueries(database: world.database)
        let clients = try await world.makeFleet(2)
        let count = 100
        try await Self.giveLargeEvents(world, count, to: clients)
        var seen: [String] = []
        var sizes: [Int] = []
        var cursor: String?
        repeat {
            let page = try await directory.events(
                of: clients[0].rawValue, app: world.app, cursor: cursor, limit: count
            )
            seen += page.events.map(\.eventID)
            sizes.append(page.events.count)
            cursor = page.cursor
        } while cursor != nil && sizes.count < 10
        #expect(seen == (0..<count).reversed().map { "e\($0)" })
        let largest = try #require(sizes.max())
        #expect(sizes.count > 1 && largest * 60_000 < 2 * DirectoryQueries.maximumBytesOfEvents)
    }

    @Test("SEC-2, EVT-7: a search reads a bounded number of bytes at once and for a page, and misses no event")
    func largeSearch() async throws {
        let world = try await ServiceWorld()
        let directory = DirectoryQueries(database: world.database)
        let clients = try await world.makeFleet(3)
        let count = 120
        try await Self.giveLargeEvents(world, count, to: clients)
        var found: [Int64] = []
        var cursor: String?
        repeat {
            let page = try await directory.events(
                .everybody, app: world.app, matching: EventFilter(), cursor: cursor, limit: 40
            )
            found += page.events.map(\.at.milliseconds)
            cursor = page.cursor
        } while cursor != nil && found.count < 1_000
        let moments = (0..<count).reversed().flatMap { index in (0..<3).reversed().map { Int64(1_000 * index + $0) } }
        #expect(found == moments)
        // Whatever is looked for, a page does not go through all 21 MB.
        var filter = EventFilter()
        filter.name = try EventName("nothing")
        let page = try await directory.events(
            .everybody, app: world.app, matching: filter, cursor: nil, limit: 40
        )
        #expect(page.events.isEmpty && page.cursor != nil)
    }
}
