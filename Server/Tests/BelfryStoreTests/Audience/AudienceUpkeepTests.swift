import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// Whatever happens to devices and contacts, the audience table equals a rebuilt one.
struct AudienceUpkeepTests {
    @Test(
        "CAMP-3, PERF-6: after any history the table equals a rebuild", arguments: Engine.allCases,
        Endurance.seeds(6, brief: 2)
    )
    func histories(_ engine: Engine, seed: UInt64) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let apps = try await store.write { connection in
            let apps = [try connection.makeApp("one"), try connection.makeApp("two")]
            for app in apps {
                for name in ["city", "age"] {
                    try connection.attributes.define(AttributeKey(name), type: .string, app: app, now: storeEpoch)
                }
            }
            return apps
        }
        var rows = 0
        for round in 0..<12 {
            let (kept, rebuilt) = try await store.write { connection in
                var life = AudienceLife(connection: connection, apps: apps, seed: seed * 1_000 + UInt64(round))
                for _ in 0..<25 { try life.step() }
                let kept = try apps.map { try connection.audienceRows(of: $0) }
                for app in apps { try connection.audiences.rebuild(app: app) }
                return (kept, try apps.map { try connection.audienceRows(of: $0) })
            }
            #expect(kept == rebuilt)
            rows = max(rows, kept.joined().count)
            for app in apps { try await expectOpenings(of: app, in: store) }
        }
        #expect(rows > 5)
    }

    /// Audiences see the openings that devices' rows tell of, whoever has noted them.
    private func expectOpenings(of app: Int64, in store: TestStore) async throws {
        let devices = try await store.read { try $0.devices.list(app: app, before: nil, limit: 100).devices }
        for hours in stride(from: 0, to: 60, by: 13) {
            let moment = seconds(TimeInterval(hours) * 3_600)
            let comparisons: [(Comparison, @Sendable (Date?) -> Bool)] = [
                (.greaterOrEqual(.date(moment)), { $0.map { $0 >= moment } ?? false }),
                (.less(.date(moment)), { $0.map { $0 < moment } ?? false }),
                (.exists(true), { $0 != nil }),
            ]
            for (comparison, holds) in comparisons {
                let found = try await store.ask { asked in
                    let condition = Condition.deviceFact(.lastOpenedAt, comparison)
                    let audience = try asked.connection.audienceSQL(app: app).compile(condition)
                    let slice = try asked.slice(app: app, audience: audience, devices: 0...Int64.max, limit: Int.max)
                    return slice.members.map(\.device)
                }
                #expect(found == devices.filter { holds($0.lastOpenedAt) }.map(\.id).sorted(), "\(comparison)")
            }
        }
    }

    @Test("CAMP-3: values that look the same to people but not to a database are written", arguments: Engine.allCases)
    func spellings(_ engine: Engine) async throws {
        let people = [
            Person(name: "anna", attributes: ["city": "caf\u{e9}"], system: SystemProperties(locale: "caf\u{e9}"))
        ]
        let fixture = try await AudienceFixture(engine, schema: ["city": .string], people: people)
        try await fixture.store.write { connection in
            guard var anna = try connection.contacts.find(app: 1, key: "anna"),
                var device = try connection.devices.find(app: 1, client: client(1))
            else { return }
            anna.attributes["city"] = "cafe\u{301}"
            try connection.contacts.save(anna, now: storeEpoch)
            device.system.locale = "cafe\u{301}"
            try connection.devices.save(device)
        }
        for text in ["caf\u{e9}", "cafe\u{301}"] {
            let names = text.utf8.count == 5 ? [] : ["anna"]
            #expect(try await fixture.audience(.attribute("city", .equal(.string(text)))) == names)
            #expect(try await fixture.audience(.device(.locale, .equal(.string(text)))) == names)
        }
    }

    @Test("REG-25: an attribute that becomes a date is compared as one, and back", arguments: Engine.allCases)
    func becomesDate(_ engine: Engine) async throws {
        let people = ["2026-11-21T13:00:00+01:00", "2026-11-22T00:00:00.000Z", "soon", "5"].map {
            Person(name: $0, attributes: ["due": .string($0)])
        }
        let fixture = try await AudienceFixture(engine, schema: ["due": .string], people: people)
        let before = Condition.attribute("due", .less("2026-11-22"))
        #expect(try await fixture.audience(before) == ["2026-11-21T13:00:00+01:00"])
        try await fixture.define("due", .date)
        #expect(try await fixture.audience(before) == ["2026-11-21T13:00:00+01:00"])
        #expect(try await fixture.audience(.attribute("due", .greaterOrEqual("2026-11-22"))) == [people[1].name])
        #expect(try await fixture.audience(.attribute("due", .exists(true))).count == 4)
        try await fixture.define("due", .number)
        #expect(try await fixture.audience(.attribute("due", .equal(5))) == ["5"])
        #expect(try await fixture.audience(.attribute("due", .equal("soon"))) == ["soon"])
    }
}

extension AudienceFixture {
    fileprivate func define(_ name: String, _ type: AttributeType) async throws {
        let app = app
        try await store.write { connection in
            try connection.attributes.define(AttributeKey(name), type: type, app: app, now: storeEpoch)
        }
    }
}

extension SQLConnection {
    /// Every column of every row, as text.
    func audienceRows(of app: Int64) throws -> [[String]] {
        let attributes = try attributes.columns(app: app)
        let names = attributes.schema.keys.sorted().compactMap { attributes.text(of: $0)?.statement }
        let columns =
            [
                "device_id", "contact_id", "known", "push_opt_in", "last_opened_at", "platform", "os_version",
                "app_version", "sdk_version", "device_model", "locale", "time_zone",
            ].map { "a.\($0)" } + names.flatMap { [$0, $0.replacing("_text", with: "_number")] }
        return try query(
            SQLText(
                ofTest: "SELECT \(columns.joined(separator: ", ")) FROM \(attributes.table.statement) a ORDER BY 1"), []
        ) { row in columns.indices.map { row.isNull($0) ? "–" : row.text($0) } }
    }
}
