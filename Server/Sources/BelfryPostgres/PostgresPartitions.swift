import BelfryStore
import Foundation

/// Keeps a table in partitions by a calendar period (FLEET-3). Each step that locks the whole table runs in a short
/// transaction of its own, whatever the size of the table, and gives up soon if another transaction holds a lock.
struct PostgresPartitions {
    /// How long, in milliseconds, a step waits for its lock. Other transactions wait behind it meanwhile.
    static let lockTimeout = 100
    /// How often to ask for a lock whose failure would waste a read of every row. One second lies between the tries, so
    /// together they take longer than any statement of a server.
    static let tries = 90
    private static let violated = "23514"
    /// Held while a process works on the partitions of a schema.
    private static let turn: SQLText = "hashtext('belfry partitions'), hashtext(current_schema())"

    let settings: PostgresSettings
    let table: PartitionedTable
    /// Cancelling it ends a statement that takes long.
    let run: QuestionRun

    /// - Throws: ``PostgresError``, but not because another transaction holds a lock.
    func keep(at now: Date, droppingBefore moment: Date) throws -> PartitionUpkeep {
        let line = PostgresLine("partitions", settings, lockTimeout: Self.lockTimeout, needsPrimary: true)
        defer { line.close() }
        return try line.queue.sync {
            var upkeep = PartitionUpkeep()
            do {
                try keep(on: line, at: now, droppingBefore: moment, &upkeep)
            } catch let error as PostgresError {
                settings.onError(error.code)
                guard error.isConflict else { throw error }
                upkeep.isHeldUp = true
            }
            return upkeep
        }
    }

    private func keep(
        on line: PostgresLine, at now: Date, droppingBefore moment: Date, _ upkeep: inout PartitionUpkeep
    ) throws {
        let link = try line.ready()
        // If another process holds the lock, it does the same work.
        let isMine = try link.command("SELECT pg_try_advisory_lock(\(Self.turn))").elements { $0.flag(0) }
        guard isMine.first == true else { return }
        // The server notices a closed connection only after a while.
        defer { _ = try? link.command("SELECT pg_advisory_unlock(\(Self.turn))") }
        if try partitions(link).parts == nil {
            try divide(line, at: now)
            upkeep.isDivided = true
        }
        let partitions = try partitions(link)
        if !partitions.hasRest {
            try line.transaction("") { try makeRest($0) }
        }
        if try hasGap(link) { try locking(line) { try dropGap($0) } }
        for period in partitions.missing(at: now) {
            if try make(period, at: now, line) { upkeep.made += 1 }
        }
        for name in partitions.lapsed(before: moment) {
            try line.transaction("") { _ = try $0.command("DROP TABLE \(name)") }
            upkeep.dropped += 1
        }
    }

    private func partitions(_ link: PostgresLink) throws -> TablePartitions {
        // The dialect has a query for partitions, so the result is not nil.
        try PostgresConnection(link: link).partitions(of: table) ?? TablePartitions(table: table, parts: nil)
    }

    /// Runs a statement that reads many rows, without a time limit: nothing waits for it. It ends when the process is
    /// told to stop.
    private func unhurried<Output>(_ line: PostgresLine, _ body: (PostgresLink) throws -> Output) throws -> Output {
        let link = try line.ready()
        do {
            try link.command("SET statement_timeout = 0")
            defer { _ = try? link.command("SET statement_timeout = \(settings.statementTimeout)") }
            return try run.interruptible(by: link.cancellation()) { try body(link) }
        } catch {
            guard run.isCancelled else { throw error }
            // A cancellation that arrives late would hit the statements that restore the settings.
            line.leave()
            throw CancellationError()
        }
    }
}

// MARK: An undivided table

extension PostgresPartitions {
    /// A constraint that holds for all rows from the moment it exists, so that the table can become a partition without
    /// a scan.
    private var bound: SQLText { "\(table.name)_end" }

    private func divide(_ line: PostgresLine, at now: Date) throws {
        // Another transaction may hold its lock for long, such as a vacuum. This detects it before every row is read in
        // vain.
        try line.transaction("") { try lockWhole($0) }
        let newest = try unhurried(line) { link in
            try link.command("SELECT max(\(table.moment)) FROM \(table.name)").elements { $0.optionalInteger(0) }
        }
        guard let end = table.end(ofFirstWith: newest.first ?? nil, at: now) else {
            throw StoreError.rejected(
                reason: "\(table.name.statement) has rows of a time that is too far ahead, so it stays in one piece"
            )
        }
        do {
            try insisting(line) {
                // Citus refuses one statement that does both, and passes on all of a text that has two.
                try line.transaction("") { link in
                    try link.command("ALTER TABLE \(table.name) DROP CONSTRAINT IF EXISTS \(bound)")
                    try link.command(
                        """
                        ALTER TABLE \(table.name)
                            ADD CONSTRAINT \(bound) CHECK (\(table.moment) < \(end)) NOT VALID
                        """
                    )
                }
            }
            // Reads every row.
            try insisting(line) {
                try validate(bound, of: table.name, line)
            }
            try insisting(line) { try line.transaction("") { try putParent($0, over: end) } }
        } catch {
            // If the constraint stayed, it would refuse rows once its moment has passed.
            try? locking(line) { try $0.command("ALTER TABLE \(table.name) DROP CONSTRAINT IF EXISTS \(bound)") }
            throw error
        }
    }

    /// If other transactions nearly always hold a lock, the table would be read every hour and never divided. So this
    /// tries repeatedly; during each second, others wait behind it only for a moment.
    private func insisting(_ line: PostgresLine, _ body: () throws -> Void) throws {
        for _ in 1..<Self.tries {
            do {
                return try body()
            } catch let error as PostgresError where error.isConflict {
                settings.onError(error.code)
                // The pause runs on the server, so that it can be cancelled.
                _ = try unhurried(line) { try $0.command("SELECT pg_sleep(1)") }
            }
        }
        try body()
    }

    private func lockWhole(_ link: PostgresLink) throws {
        try link.command("LOCK TABLE \(table.name) IN ACCESS EXCLUSIVE MODE")
    }

    /// Replaces an undivided table by a partitioned one. The old table becomes the first partition: it keeps its rows,
    /// its key and its indexes, under other names. Generated numbers continue.
    private func putParent(_ link: PostgresLink, over end: Int64) throws {
        let numbers = numbering
        try lockWhole(link)
        try link.command(
            """
            DO $divide$
            DECLARE
                entry record;
                last bigint;
                is_used boolean;
            BEGIN
                \(numbers.end)
                ALTER TABLE \(table.name) RENAME TO \(table.first);
                CREATE TABLE \(table.name) (LIKE \(table.first) INCLUDING DEFAULTS)
                    PARTITION BY RANGE (\(table.moment));
                \(numbers.goOn)
                FOR entry IN
                    SELECT c.relname AS name, i.indisunique AS is_unique,
                        substring(pg_get_indexdef(c.oid) FROM ' USING .*$') AS definition
                    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                    WHERE i.indrelid = '\(table.first)'::regclass
                LOOP
                    EXECUTE format('ALTER INDEX %I RENAME TO %I', entry.name,
                        left(regexp_replace(entry.name, '^(\(table.name)_|)', '\(table.first)_'), 63));
                    IF NOT entry.is_unique THEN
                        EXECUTE format('CREATE INDEX %I ON \(table.name)%s', entry.name, entry.definition);
                    END IF;
                END LOOP;
            END
            $divide$
            """
        )
        try place(table.name, beside: table.first, link)
        try link.command(
            "ALTER TABLE \(table.name) ATTACH PARTITION \(table.first) FOR VALUES FROM (MINVALUE) TO (\(end))"
        )
        try link.command("ALTER TABLE \(table.first) DROP CONSTRAINT \(bound)")
        try makeRest(link)
    }

    /// Statements for the generated numbers: those that end them on the old table, and those that continue them on the
    /// new one. Empty if the engine generates no numbers for this table.
    private var numbering: (end: SQLText, goOn: SQLText) {
        guard let number = table.number else { return ("", "") }
        let sequence: SQLText = "pg_get_serial_sequence('\(table.name)', '\(number)')"
        return (
            """
            EXECUTE format('SELECT last_value, is_called FROM %s', \(sequence)) INTO last, is_used;
            ALTER TABLE \(table.name) ALTER COLUMN \(number) DROP IDENTITY;
            """,
            """
            ALTER TABLE \(table.name) ALTER COLUMN \(number) ADD GENERATED BY DEFAULT AS IDENTITY;
            PERFORM setval(\(sequence), last, is_used);
            """
        )
    }
}

// MARK: Partitions

extension PostgresPartitions {
    private func makeRest(_ link: PostgresLink) throws {
        try link.command("CREATE TABLE \(table.rest) PARTITION OF \(table.name) DEFAULT")
        try link.command("ALTER TABLE \(table.rest) ADD PRIMARY KEY (\(table.keyList))")
    }

    /// Makes the partition of a period, unless other transactions would wait for long.
    ///
    /// - Returns: whether it was made.
    private func make(_ period: CalendarPeriod, at now: Date, _ line: PostgresLine) throws -> Bool {
        // A large default partition may have no index for this.
        let (found, rest) = try unhurried(line) { link in
            (try count(period, link), try count("", upTo: PartitionMaking.mostLookedThrough, link))
        }
        let making = PartitionMaking(period, at: now, found: found, rest: rest)
        switch making {
        case .atOnce: return try line.transaction("") { try attach(period, $0) }
        case .proven: return try attachProven(period, line)
        case .left: return false
        }
    }

    /// Has the server check the default partition before any other transaction has to wait. The constraint is always
    /// removed again: as long as it exists, the default partition refuses rows of the period.
    private func attachProven(_ period: CalendarPeriod, _ line: PostgresLine) throws -> Bool {
        do {
            try locking(line) { link in
                try link.command(
                    """
                    ALTER TABLE \(table.rest) ADD CONSTRAINT \(gap)
                        CHECK (\(table.moment) < \(period.start) OR \(table.moment) >= \(period.end)) NOT VALID
                    """
                )
            }
            try validate(gap, of: table.rest, line)
            return try line.transaction("") { link in
                let isMade = try attach(period, isProven: true, link)
                try dropGap(link)
                return isMade
            }
        } catch {
            try? locking(line) { try dropGap($0) }
            // A row of the period was stored before the constraint; the next check finds it.
            if (error as? PostgresError)?.code == Self.violated { return false }
            throw error
        }
    }

    private var gap: SQLText { "\(table.rest)_gap" }

    /// Whether a process that died has left the constraint behind.
    private func hasGap(_ link: PostgresLink) throws -> Bool {
        try link.command(
            "SELECT 1 FROM pg_constraint WHERE conrelid = to_regclass('\(table.rest)') AND conname = '\(gap)'"
        ).elements { $0.flag(0) }.first == true
    }

    private func dropGap(_ link: PostgresLink) throws {
        try link.command("ALTER TABLE \(table.rest) DROP CONSTRAINT IF EXISTS \(gap)")
    }

    /// Makes the partition and moves the period's rows to it from the default partition. If these are too many for a
    /// short lock, they stay, and no partition is made.
    ///
    /// - Parameter isProven: whether a constraint proves that the default partition has no such rows, so that no scan
    ///   is needed.
    /// - Returns: whether the partition was made.
    private func attach(_ period: CalendarPeriod, isProven: Bool = false, _ link: PostgresLink) throws -> Bool {
        let (name, own) = (table.partition(of: period), rows(of: period))
        try link.command("LOCK TABLE ONLY \(table.name) IN ACCESS EXCLUSIVE MODE")
        let count = try isProven ? 0 : count(period, link)
        guard count <= PartitionMaking.mostMoved else { return false }
        try link.command(
            "CREATE TABLE \(name) (LIKE \(table.name) INCLUDING DEFAULTS, PRIMARY KEY (\(table.keyList)))"
        )
        try place(name, beside: table.name, link)
        if count > 0 {
            try link.command(
                """
                WITH moved AS (DELETE FROM \(table.rest) WHERE \(own) RETURNING *)
                INSERT INTO \(name) SELECT * FROM moved
                """
            )
        }
        try link.command(
            """
            ALTER TABLE \(table.name) ATTACH PARTITION \(name)
            FOR VALUES FROM (\(period.start)) TO (\(period.end))
            """
        )
        return true
    }

    /// Counts rows of the period in the default partition, up to one more than can be moved.
    private func count(_ period: CalendarPeriod, _ link: PostgresLink) throws -> Int {
        try count("WHERE \(rows(of: period))", upTo: PartitionMaking.mostMoved, link)
    }

    private func count(_ condition: SQLText, upTo most: Int, _ link: PostgresLink) throws -> Int {
        try link.command(
            "SELECT count(*) FROM (SELECT 1 FROM \(table.rest) \(condition) LIMIT \(most + 1)) AS found"
        ).elements { Int($0.integer(0)) }.first ?? 0
    }

    private func rows(of period: CalendarPeriod) -> SQLText {
        "\(table.moment) >= \(period.start) AND \(table.moment) < \(period.end)"
    }
}

// MARK: Several servers

/// Where Citus has a table on several servers (FLEET-5), it does there whatever changes the table here. It takes a
/// partition only from where the table is, and passes a time limit on only within a transaction.
extension PostgresPartitions {
    /// The column by which the table is on several servers; nil if this one has all of it.
    private func shardColumn(_ link: PostgresLink) -> String? {
        guard link.isDistributed, case .distributed(_, let column)? = Distribution.place(of: table.name.statement)
        else { return nil }
        return column
    }

    /// Has the rows of a new table lie beside those of another.
    private func place(_ new: SQLText, beside other: SQLText, _ link: PostgresLink) throws {
        guard let column = shardColumn(link) else { return }
        try PostgresDistribution.place(new.statement, by: column, beside: other.statement, link)
    }

    /// Runs a statement that waits for a lock of the table, by itself.
    private func locking(_ line: PostgresLine, _ body: (PostgresLink) throws -> Void) throws {
        let link = try line.ready()
        guard shardColumn(link) != nil else { return try body(link) }
        try line.transaction("", [], body)
    }

    /// Has all rows checked, which takes as long as it takes.
    private func validate(_ constraint: SQLText, of name: SQLText, _ line: PostgresLine) throws {
        try unhurried(line) { _ in
            try locking(line) { try $0.command("ALTER TABLE \(name) VALIDATE CONSTRAINT \(constraint)") }
        }
    }
}
