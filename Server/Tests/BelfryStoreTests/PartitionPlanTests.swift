import BelfryModel
import BelfryStore
import Foundation
import Testing

/// FLEET-3: which partitions a table is to have, by the calendar alone.
struct PartitionPlanTests {
    private static func moment(_ text: String) throws -> Date { try #require(Timestamp.date(text)) }

    private static func month(_ text: String) throws -> CalendarPeriod {
        CalendarPeriod(.month, of: try moment(text).milliseconds)
    }

    private static func partition(_ name: String, _ start: String?, _ end: String) throws -> TablePartition {
        TablePartition(
            name: name, start: try start.map { try moment($0).milliseconds }, end: try moment(end).milliseconds)
    }

    @Test(
        "FLEET-3: a month goes from its first millisecond to the last one before the next, in UTC",
        arguments: [
            ("2026-11-21T12:00:00Z", "2026-11", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
            ("2026-12-31T23:59:59.999Z", "2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("2027-01-01T00:00:00Z", "2027-01", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
            ("2028-02-29T01:00:00Z", "2028-02", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12", "1969-12-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ]
    )
    func months(moment: String, name: String, start: String, end: String) throws {
        let month = try Self.month(moment)
        #expect(month.description == name)
        #expect(try month.start == Self.moment(start).milliseconds)
        #expect(try month.end == Self.moment(end).milliseconds)
        // A year of them is twelve, each behind the other.
        let year = (0...12).map { month.later(by: $0) }
        let isSeamless = zip(year, year.dropFirst()).allSatisfy { $0.end == $1.start }
        #expect(isSeamless)
        #expect(year[12].first.month == month.first.month && year[12].first.year == month.first.year + 1)
    }

    @Test(
        "FLEET-3: a week goes from the first millisecond of its Monday to the last one of its Sunday, in UTC",
        arguments: [
            ("2026-11-30T00:00:00Z", "2026-11-30", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"),
            ("2026-11-29T23:59:59.999Z", "2026-11-23", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
            ("2027-01-01T12:00:00Z", "2026-12-28", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z"),
            ("2028-02-29T01:00:00Z", "2028-02-28", "2028-02-28T00:00:00Z", "2028-03-06T00:00:00Z"),
            ("1970-01-01T00:00:00Z", "1969-12-29", "1969-12-29T00:00:00Z", "1970-01-05T00:00:00Z"),
            ("1969-12-28T23:59:59.999Z", "1969-12-22", "1969-12-22T00:00:00Z", "1969-12-29T00:00:00Z"),
        ]
    )
    func weeks(moment: String, name: String, start: String, end: String) throws {
        let week = CalendarPeriod(.week, of: try Self.moment(moment).milliseconds)
        #expect(week.description == name)
        #expect(try week.start == Self.moment(start).milliseconds)
        #expect(try week.end == Self.moment(end).milliseconds)
        let some = (0...60).map { week.later(by: $0) }
        let isSeamless = zip(some, some.dropFirst()).allSatisfy { $0.end == $1.start }
        #expect(isSeamless)
    }

    /// By week, as the audit log is by month.
    private static let visits = PartitionedTable(
        name: "visits", key: ["id"], isNumbered: true, moment: "at", unit: .week, ahead: 2, mostAhead: 5,
        firstSchema: nil
    )

    @Test("FLEET-3: a table by week has its partitions ahead, and its first one takes what is there, like one by month")
    func weekly() throws {
        let now = try Self.moment("2026-12-30T23:00:00Z")
        let table = Self.visits
        let missing = TablePartitions(table: table, parts: []).missing(at: now)
        #expect(missing.map(\.description) == ["2026-12-28", "2027-01-04", "2027-01-11"])
        let last = try #require(missing.last)
        #expect(table.partition(of: last).statement == "visits_2027_01_11")
        func end(_ newest: String?) throws -> Int64? {
            table.end(ofFirstWith: try newest.map { try Self.moment($0).milliseconds }, at: now)
        }
        #expect(try end(nil) == Self.moment("2027-01-18T00:00:00Z").milliseconds)
        #expect(try end("2027-01-18T00:00:00Z") == Self.moment("2027-01-25T00:00:00Z").milliseconds)
        #expect(try end("2027-01-31T23:59:59.999Z") == Self.moment("2027-02-01T00:00:00Z").milliseconds)
        #expect(try end("2027-02-01T00:00:00Z") == nil)
    }

    @Test("FLEET-3: partitions have the names of their months")
    func names() throws {
        let table = PartitionedTable.auditLog
        #expect(try table.partition(of: Self.month("2027-03-01T00:00:00Z")).statement == "audit_log_2027_03")
        #expect(try table.partition(of: Self.month("2027-12-01T00:00:00Z")).statement == "audit_log_2027_12")
    }

    @Test("FLEET-3: eight weeks ahead have a partition of events, by when they were received")
    func events() throws {
        let table = PartitionedTable.events
        #expect(table.moment.statement == "received_at" && table.keyList.statement == "device_id, event_id")
        #expect(table.number == nil && PartitionedTable.auditLog.number?.statement == "id")
        let now = try Self.moment("2026-11-21T12:00:00Z")
        let first = try Self.partition("events_first", nil, "2027-01-18T00:00:00Z")
        let found = TablePartitions(table: table, parts: [first])
        #expect(found.areKept)
        // In one piece they lack all but the last, which may still be made.
        let whole = TablePartitions(table: table, parts: nil)
        #expect(whole.areKept && whole.missing(at: now).count == 9)
        let overdue = whole.overdue(at: now).map(\.description)
        #expect(overdue.count == 8 && overdue.first == "2026-11-16" && overdue.last == "2027-01-04")
        let end = try Self.moment("2027-01-18T00:00:00Z").milliseconds
        #expect(table.end(ofFirstWith: nil, at: now) == end)
        #expect(found.missing(at: now).isEmpty)
        let later = found.missing(at: try Self.moment("2026-11-23T00:00:00Z"))
        #expect(later.map(\.description) == ["2027-01-18"])
    }

    @Test("FLEET-3, FLEET-1: a program divides a table from a version of the schema on, and before keeps a divided one")
    func firstSchema() throws {
        let now = try Self.moment("2026-11-21T12:00:00Z")
        func table(_ firstSchema: Int?) -> PartitionedTable {
            PartitionedTable(
                name: "visits", key: ["id"], isNumbered: true, moment: "at", unit: .week, ahead: 2, mostAhead: 5,
                firstSchema: firstSchema
            )
        }
        let cases: [(version: Int?, isKept: Bool)] = [
            (nil, true), (Migration.newest, true), (Migration.newest + 1, false),
        ]
        for (version, isKept) in cases {
            let whole = TablePartitions(table: table(version), parts: nil)
            #expect(whole.areKept == isKept)
            #expect(whole.overdue(at: now).isEmpty != isKept)
            let divided = TablePartitions(table: table(version), parts: [])
            #expect(divided.areKept && divided.overdue(at: now).count == 2)
        }
    }

    @Test("FLEET-3, EVT-7: what lies in a partition with the moment goes with it; what has no end of its own, by rows")
    func removedByRows() throws {
        let parts = [
            try Self.partition("events_first", nil, "2027-01-18T00:00:00Z"),
            try Self.partition("events_2027_01_18", "2027-01-18T00:00:00Z", "2027-01-25T00:00:00Z"),
            TablePartition(name: "events_rest", isRest: true),
        ]
        func byRows(_ text: String, _ parts: [TablePartition]?) throws -> Date {
            TablePartitions(table: .events, parts: parts).removedByRows(before: try Self.moment(text))
        }
        let monday = try Self.moment("2027-01-18T00:00:00Z")
        for text in ["2027-01-18T00:00:00Z", "2027-01-20T12:00:00Z", "2027-01-24T23:59:59.999Z"] {
            #expect(try byRows(text, parts) == monday)
            #expect(try byRows(text, nil) == Self.moment(text))
        }
        for text in ["2027-01-17T23:59:59.999Z", "2027-01-25T00:00:00Z"] {
            #expect(try byRows(text, parts) == Self.moment(text))
        }
    }

    @Test("FLEET-3: three months ahead have a partition; the last of them may still be made")
    func ahead() throws {
        let now = try Self.moment("2026-11-30T23:00:00Z")
        let first = try Self.partition("audit_log_first", nil, "2027-01-01T00:00:00Z")
        /// Those that are missing, and those of them that are overdue.
        func missing(_ parts: [TablePartition]?, at now: Date) -> [[String]] {
            let found = TablePartitions(table: .auditLog, parts: parts)
            return [found.missing(at: now), found.overdue(at: now)].map { $0.map(\.description) }
        }
        #expect(missing([first], at: now) == [["2027-01", "2027-02"], ["2027-01"]])
        let others = [
            try Self.partition("audit_log_2027_01", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
            try Self.partition("audit_log_2027_02", "2027-02-01T00:00:00Z", "2027-03-01T00:00:00Z"),
        ]
        #expect(missing([first] + others, at: now) == [[], []])
        let later = now.addingTimeInterval(3_600)
        #expect(missing([first] + others, at: later) == [["2027-03"], []])
        // What takes the rest has no month, and a part of a month is none.
        let rest = TablePartition(name: "audit_log_rest", isRest: true)
        let part = try Self.partition("own", "2027-03-01T00:00:00Z", "2027-03-20T00:00:00Z")
        #expect(missing([first, rest, part] + others, at: later) == [["2027-03"], []])
        let all = ["2026-11", "2026-12", "2027-01", "2027-02"]
        #expect(missing(nil, at: now) == [all, Array(all.dropLast())])
        #expect(missing([], at: now) == [all, Array(all.dropLast())])
    }

    @Test("FLEET-3: nobody waits while much is looked through, and what is written now is refused by nothing")
    func making() throws {
        let month = try Self.month("2027-03-01T00:00:00Z")
        let (most, moved) = (PartitionMaking.mostLookedThrough, PartitionMaking.mostMoved)
        func making(_ now: String, found: Int, rest: Int) throws -> PartitionMaking {
            PartitionMaking(month, at: try Self.moment(now), found: found, rest: rest)
        }
        let (before, under) = ("2027-02-28T00:00:00Z", "2027-03-15T00:00:00Z")
        for now in [before, under] {
            #expect(try making(now, found: 0, rest: 0) == .atOnce)
            #expect(try making(now, found: moved, rest: most) == .atOnce)
            #expect(try making(now, found: moved + 1, rest: most) == .left)
            #expect(try making(now, found: 1, rest: most + 1) == .left)
        }
        #expect(try making(before, found: 0, rest: most + 1) == .proven)
        #expect(try making("2027-02-28T00:00:00.001Z", found: 0, rest: most + 1) == .left)
        #expect(try making(under, found: 0, rest: most + 1) == .left)
    }

    @Test("FLEET-3: a partition goes once the moment is behind all of it, the rest never")
    func lapsed() throws {
        let found = TablePartitions(
            table: .auditLog,
            parts: [
                try Self.partition("audit_log_first", nil, "2027-01-01T00:00:00Z"),
                try Self.partition("audit_log_2027_01", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
                TablePartition(name: "audit_log_rest", isRest: true),
                TablePartition(name: "endless", start: 0),
            ])
        func names(_ moment: String) throws -> [String] {
            found.lapsed(before: try Self.moment(moment)).map(\.text)
        }
        #expect(try names("2026-12-31T23:59:59.999Z").isEmpty)
        #expect(try names("2027-01-01T00:00:00Z") == ["audit_log_first"])
        #expect(try names("2099-01-01T00:00:00Z") == ["audit_log_first", "audit_log_2027_01"])
        #expect(TablePartitions(table: .auditLog, parts: nil).lapsed(before: .distantFuture).isEmpty)
    }

    @Test("FLEET-3: the first partition takes all that is there, unless that is from too far ahead")
    func first() throws {
        let now = try Self.moment("2026-11-21T12:00:00Z")
        func end(_ newest: String?) throws -> Int64? {
            PartitionedTable.auditLog.end(ofFirstWith: try newest.map { try Self.moment($0).milliseconds }, at: now)
        }
        let usual = try Self.moment("2027-03-01T00:00:00Z").milliseconds
        #expect(try end(nil) == usual)
        #expect(try end("2026-11-21T12:00:00Z") == usual)
        #expect(try end("2027-02-28T23:59:59.999Z") == usual)
        #expect(try end("2027-03-01T00:00:00Z") == Self.moment("2027-04-01T00:00:00Z").milliseconds)
        #expect(try end("2027-10-31T23:00:00Z") == Self.moment("2027-11-01T00:00:00Z").milliseconds)
        #expect(try end("2027-11-01T00:00:00Z") == nil)
        #expect(try end("2099-01-01T00:00:00Z") == nil)
    }
}
