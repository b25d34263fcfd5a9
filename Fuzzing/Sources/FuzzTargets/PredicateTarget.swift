import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation

@testable import BelfryAPI
@testable import BelfryPostgres
@testable import BelfrySQLite
@testable import BelfryServerModel
@testable import BelfryStore

/// Predicates: parsed, checked, compiled to SQL for both engines, and evaluated in memory.
enum PredicateTarget {
    static func run(_ bytes: [UInt8]) throws {
        guard (try? JSONReader.check(bytes)) != nil,
            let condition = try? JSONDecoder().decode(Condition.self, from: Data(bytes))
        else { return }
        try roundTrip(condition)
        _ = condition.errors(in: Fixtures.context)
        try compile(condition, SQLiteDialect(), isPostgres: false)
        try compile(condition, PostgresDialect(), isPostgres: true)
        try evaluate(condition)
    }

    private static func roundTrip(_ condition: Condition) throws {
        let text = try JSONText.encode(condition)
        guard let again = try? JSONText.decode(Condition.self, text) else {
            throw Finding("a stored predicate can be read: \(text)")
        }
        try expect(try JSONText.encode(again) == text, "a stored predicate reads back as itself: \(text)")
    }

    /// No data is part of a statement: it consists of Belfry's own text and a placeholder for each argument (SEC-7).
    private static func compile(_ condition: Condition, _ dialect: any Dialect, isPostgres: Bool) throws {
        let sql = AudienceSQL(Fixtures.columns, dialect: dialect, zone: Fixtures.zone, now: Fixtures.now)
        guard sql.errors(of: condition).isEmpty else { return }
        let predicate = try sql.compile(condition)
        let scope = AudienceScope.devices(1...Int64.max, of: 1, withOpenings: predicate.asksForOpenings)
        let compiled = predicate.condition(in: scope)
        guard let marks = StatementScan.marks(in: compiled.sql.statement) else {
            throw Finding("data has left its literal: \(compiled.sql)")
        }
        try expect(marks == compiled.arguments.count, "a mark for each argument: \(compiled.sql)")
        guard isPostgres else { return }
        let spelled = PostgresSQL.spelled(compiled.sql.statement)
        try expect(StatementScan.marks(in: spelled) == 0, "no mark is left: \(spelled)")
        try expect(marks == 0 || spelled.contains("$\(marks)"), "each argument has its number: \(spelled)")
    }

    private static func evaluate(_ condition: Condition) throws {
        let evaluator = ConditionEvaluator(Fixtures.context)
        var subject = ConditionSubject(device: Fixtures.device)
        _ = evaluator.holds(condition, for: subject)
        subject.contact = ConditionSubject.Contact(
            key: "a@example.com", isKnown: true,
            attributes: ["city": "Paris", "points": 12, "member": true, "since": "2026-01-01T00:00:00.000Z"],
            tags: ["vip"]
        )
        subject.lastOpenedAt = Fixtures.now
        subject.properties = SystemProperties(timeZone: "Europe/Paris", locale: "fr-FR", platform: "iOS")
        subject.events = RecordedEvents([
            RecordedEvents.Entry(name: "purchase", at: Fixtures.now, attributes: ["total": 12.5, "at": "2026-01-01"])
        ])
        let holds = evaluator.holds(condition, for: subject)
        try expect(evaluator.holds(.not(condition), for: subject) == !holds, "what holds is not denied")
        let trigger = InAppTrigger(event: "purchase", filter: condition, occurrence: 1)
        _ = trigger.matches(TriggerEvent(name: "purchase", attributes: ["total": 12.5]), on: TriggerDevice())
    }
}

/// Reads a statement byte by byte, as an engine's lexer does.
enum StatementScan {
    /// The number of placeholders outside of literals. Nil when a literal does not end, or when there is a byte outside
    /// of literals that Belfry's statements never contain.
    static func marks(in sql: String) -> Int? {
        var marks = 0
        var quote: UInt8?
        for byte in sql.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if byte == UInt8(ascii: "?") {
                marks += 1
            } else if !(0x20...0x7E).contains(byte), byte != 0x0A {
                return nil
            } else if byte == UInt8(ascii: ";") {
                return nil
            }
        }
        return quote == nil ? marks : nil
    }
}
