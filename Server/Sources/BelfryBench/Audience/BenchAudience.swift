import BelfryModel
import BelfryStore
import Foundation

/// Writes many devices, with a contact each, directly into a server's database: to register them one by one would take
/// most of a benchmark's time.
struct BenchAudience {
    static let attributes = ["firstName", "city"]
    private static let names = ["Anna", "Bertrand", "Chloë", "Dmitri", "Émilie", "Farid", "Grace", "Hiroko"]
    private static let cities = ["Paris", "Lyon", "Berlin", "Hamburg", "Madrid", "Oslo", "Praha", "Porto"]
    private static let platforms = ["ios", "ios", "ios", "macos"]
    /// The number of devices per transaction.
    private static let atOnce = 10_000

    let database: BenchDatabase

    func write(_ count: Int, app code: String) async throws {
        try await database.opened { try await write(count, app: code, into: $0) }
        try database.settle()
    }

    private func write(_ count: Int, app code: String, into database: any SQLDatabase) async throws {
        let app = try await database.read { try $0.apps.find(AppCode(code))?.id ?? 0 }
        let now = Date()
        for start in stride(from: 0, to: count, by: Self.atOnce) {
            let numbers = start..<min(start + Self.atOnce, count)
            try await database.write { connection in
                try connection.executeEach(Self.insertContact, numbers.map { Self.contact($0, app: app, now: now) })
                try connection.executeEach(Self.insertDevice, numbers.map { Self.device($0, app: app, now: now) })
                try connection.audiences.rebuild(
                    app: app, devices: Int64(numbers.lowerBound + 1)...Int64(numbers.upperBound))
            }
        }
    }

    private static let insertContact: SQLText = """
        INSERT INTO contacts (id, app_id, contact_key, known, attributes, created_at, updated_at)
        VALUES (?, ?, ?, 1, ?, ?, ?)
        """

    private static func contact(_ number: Int, app: Int64, now: Date) -> [SQLValue] {
        let name = names[number % names.count]
        let city = cities[number / names.count % cities.count]
        return [
            .integer(number + 1), .integer(app), .text("person-\(number)"),
            .text(#"{"city":"\#(city)","firstName":"\#(name)"}"#), .date(now), .date(now),
        ]
    }

    private static let insertDevice: SQLText = """
        INSERT INTO devices (id, app_id, client_id, contact_id, link_generation, confirmed_generation, push_token,
            push_provider, push_environment, token_at, push_enabled, os_push_enabled, platform, os_version, app_version,
            sdk_version, device_model, locale, time_zone, last_opened_at, revision, token_order, properties_order,
            contact_order, created_at, updated_at)
        VALUES (?, ?, ?, ?, 1, 1, ?, 'apns', 'production', ?, 1, 1, ?, '18.5', '4.2.0', '1.0.0', 'iPhone16,1', 'fr_FR',
            'Europe/Paris', ?, 1, 0, 0, 0, ?, ?)
        """

    private static func device(_ number: Int, app: Int64, now: Date) -> [SQLValue] {
        [
            .integer(number + 1), .integer(app), .text(UUID().uuidString), .integer(number + 1),
            .text((UUID().uuidString + UUID().uuidString).lowercased().filter { $0 != "-" }), .date(now),
            .text(platforms[number % platforms.count]), .date(now), .date(now), .date(now),
        ]
    }
}
