import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Synchronization

extension ServiceWorld {
    /// A clause that looks at every event of a person, and at each for long.
    static func endless(_ number: Int = 0) -> Condition {
        let parts = (0..<100).map { Condition.attribute("k", .contains("none \(number) \($0)")) }
        return .not(.event(EventClause(name: "e", filter: .any(parts))))
    }

    /// Many events of a device, of the contact that it has.
    func giveHistory(_ client: DeviceID, events: Int) async throws {
        let app = app.id
        try await database.write { connection in
            guard let device = try connection.devices.find(app: app, client: client) else { return }
            let text = String(repeating: "the quick brown fox ", count: 20)
            try connection.executeEach(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (?, ?, ?, ?, 'custom', 'e', 0, 0, ?)
                """,
                (0..<events).map { number in
                    [
                        .integer(device.id), .text("h\(number)"), .integer(app), .optional(device.contact),
                        .text(#"{"k":"\#(text)"}"#),
                    ]
                }
            )
        }
    }

    /// Limits under which a long history costs more than a device, or the planning of one, may: counted work on SQLite.
    /// On PostgreSQL the clock stands still, so that only the server's own limit of a statement counts, and no moment in
    /// which the machine had no time for this process.
    static var strict: QuestionLimits {
        let count = Counted()
        let isSQLite = Engine.ofThisRun == .sqlite
        var limits = isSQLite ? QuestionLimits { count.next() } : QuestionLimits { 0 }
        let budget: UInt64 = isSQLite ? 200 : 1_000_000_000
        limits.countingBudget = budget
        limits.planningBudget = budget
        limits.lookingBudget = budget
        return limits
    }
}

/// A clock of counted work: it continues by one each time it is looked at.
private final class Counted: Sendable {
    private let value = Atomic<UInt64>(0)
    func next() -> UInt64 { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
