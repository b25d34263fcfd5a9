import BelfryModel
import BelfryServerModel
import BelfrySQLite
import BelfryStore
import Foundation

/// Writes the devices and contacts of `belfry bench audience` directly into a database file.
struct AudienceBenchPeople {
    static let attributes: [(name: String, type: AttributeType)] = [
        ("age", .number), ("city", .string), ("lastPurchase", .date), ("plan", .string), ("vip", .boolean),
    ]
    static let cities = 200
    private static let plans = ["free", "silver", "gold"]
    /// The number of devices per transaction.
    private static let atOnce = 10_000

    let file: URL

    func write(_ count: Int) async throws {
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        let now = Date()
        let app = try await database.write { connection in
            let app = try connection.apps.insert(
                code: try AppCode("bench"), name: "bench", settings: AppSettings(), now: now
            )
            for (name, type) in Self.attributes {
                try connection.attributes.define(AttributeKey(name), type: type, app: app, now: now)
            }
            return app
        }
        for start in stride(from: 1, through: count, by: Self.atOnce) {
            let numbers = start...min(start + Self.atOnce - 1, count)
            try await database.write { connection in
                try connection.executeEach(Self.insertContact, numbers.map { Self.contact($0, app: app, now: now) })
                try connection.executeEach(Self.insertDevice, numbers.map { Self.device($0, app: app, now: now) })
                try connection.audiences.rebuild(
                    app: app, devices: Int64(numbers.lowerBound)...Int64(numbers.upperBound)
                )
            }
        }
        // Closing the database copies the write-ahead log back into the file.
        try database.close()
    }

    private static let insertContact: SQLText = """
        INSERT INTO contacts (id, app_id, contact_key, known, attributes, created_at, updated_at)
        VALUES (?, ?, ?, 1, ?, ?, ?)
        """

    private static func contact(_ number: Int, app: Int64, now: Date) -> [SQLValue] {
        // The multiplication spreads the values, so that neighboring devices have nothing in common.
        let chance = (number &* 2_654_435_761) >> 4
        let opened = Timestamp.text(now.addingTimeInterval(-Double(chance % 31_536_000)))
        let attributes = """
            {"age":\(13 + chance % 70),"city":"City \(chance / 70 % cities)","lastPurchase":"\(opened)",\
            "plan":"\(plans[chance / 14_000 % plans.count])","vip":\(chance % 97 == 0)}
            """
        return [
            .integer(number), .integer(app), .text("person-\(number)"), .text(attributes), .date(now), .date(now),
        ]
    }

    private static let insertDevice: SQLText = """
        INSERT INTO devices (id, app_id, client_id, contact_id, link_generation, confirmed_generation, push_token,
            push_provider, push_environment, token_at, push_enabled, os_push_enabled, platform, os_version, app_version,
            sdk_version, device_model, locale, time_zone, last_opened_at, revision, token_order, properties_order,
            contact_order, created_at, updated_at)
        VALUES (?, ?, ?, ?, 1, 1, ?, 'apns', 'production', ?, ?, 1, 'ios', '18.5', '4.2.0', '1.0.0', 'iPhone16,1',
            'fr_FR', 'Europe/Paris', ?, 1, 0, 0, 0, ?, ?)
        """

    private static func device(_ number: Int, app: Int64, now: Date) -> [SQLValue] {
        [
            .integer(number), .integer(app), .text(UUID().uuidString), .integer(number),
            .text(UUID().uuidString.lowercased()), .date(now), .flag(number % 10 < 6), .date(now), .date(now),
            .date(now),
        ]
    }
}
