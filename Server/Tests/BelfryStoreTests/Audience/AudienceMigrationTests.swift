import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// STO-1: what was there before the audience tables is in them.
struct AudienceMigrationTests {
    /// The database as a program of version 4 left it, with an app, its attributes and two devices.
    private static func goBack(_ connection: any SQLConnection, _ engine: Engine) throws {
        try connection.goBack(to: 4, engine)
        try connection.execute("INSERT INTO apps (code, name, settings, created_at) VALUES ('shop', 'Shop', '{}', 0)")
        for (name, type) in [("city", "string"), ("born", "date"), ("age", "number")] {
            try connection.execute(
                "INSERT INTO attributes (app_id, name, type, created_at) VALUES (1, ?, ?, 0)",
                [.text(name), .text(type)]
            )
        }
        try connection.execute(
            """
            INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
            VALUES (1, 'anna', 1, '{"age":31,"born":"1990-05-29T00:00:00.000Z","city":"Paris"}', 0, 0)
            """
        )
        for (number, contact) in [(1, SQLValue.integer(1)), (2, .null)] as [(Int, SQLValue)] {
            try connection.execute(
                """
                INSERT INTO devices (app_id, client_id, contact_id, link_generation, confirmed_generation, push_token,
                    push_provider, push_environment, platform, revision, token_order, properties_order, contact_order,
                    created_at, updated_at)
                VALUES (1, ?, ?, 0, 0, 't', 'apns', 'production', 'ios', 0, 0, 0, 0, 0, 0)
                """,
                [.text(try client(number).rawValue), contact]
            )
        }
    }

    @Test("STO-1: apps of an older database get their audience tables", arguments: Engine.allCases)
    func older(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { try Self.goBack($0, engine) }
        let second = try store.another()
        let found = try await second.database.ask(.counting(app: 1)) { asked in
            let sql = try asked.connection.audienceSQL(app: 1)
            let conditions: [Condition] = [
                .everyone, .deviceFact(.pushOptIn, .equal(true)), .attribute("age", .equal(31)),
                .all([.attribute("city", .equal("Paris")), .attribute("born", .less("2000-01-01"))]), .known(false),
            ]
            return try conditions.map {
                try asked.count(app: 1, audience: sql.compile($0))
            }
        }
        try second.close()
        #expect(found == [2, 2, 1, 1, 1])
        try await store.write { connection in
            try connection.attributes.define(AttributeKey("vip"), type: .boolean, app: 1, now: storeEpoch)
            guard var anna = try connection.contacts.find(app: 1, key: "anna") else { return }
            anna.attributes["vip"] = true
            anna.attributes["city"] = "Oslo"
            try connection.contacts.save(anna, now: storeEpoch)
        }
        let later = try await store.ask { asked in
            let condition = Condition.all([.attribute("vip", .equal(true)), .attribute("city", .equal("Oslo"))])
            let audience = try asked.connection.audienceSQL(app: 1).compile(condition)
            return try asked.count(app: 1, audience: audience)
        }
        #expect(later == 1)
    }
}
