import BelfryServerTestSupport
import BelfryStore
import Testing

/// Rows are moved between the two tables of devices as they are, column by column (FLEET-2).
struct DormantColumnsTests {
    @Test(
        "FLEET-2: dormant devices have the columns of those that live, in their order, in a fresh database",
        arguments: Engine.allCases)
    func fresh(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        Self.expectSame(try await store.read { try $0.deviceColumns(engine) })
    }

    @Test("FLEET-2: and in one that any released version has made", arguments: SchemaDump.all)
    func former(_ dump: SchemaDump) async throws {
        let (store, engine) = (try await dump.store(), dump.engine)
        // Older programs left the order of texts to the database, newer ones name it; rows are moved either way.
        Self.expectSame(try await store.reopened { try $0.deviceColumns(engine, withCollations: false) })
    }

    private static func expectSame(_ columns: (living: [String], dormant: [String])) {
        #expect(columns.living.count > 30)
        #expect(columns.living == columns.dormant)
    }

    @Test("FLEET-2: what a later version adds to both is moved, too", arguments: Engine.allCases)
    func next(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let found = try await store.write { connection -> [Int64?] in
            let app = try connection.makeApp()
            let device = try connection.devices.insert(app: app, client: try client(1), now: storeEpoch)
            try connection.growToNextVersion(engine)
            try connection.execute("UPDATE devices SET of_next_version = 8")
            try connection.dormantDevices.take([device.id], app: app)
            let dormant = try connection.first("SELECT of_next_version FROM dormant_devices", []) { $0.integer(0) }
            try connection.dormantDevices.wake(device.id)
            let living = try connection.first("SELECT of_next_version FROM devices", []) { $0.integer(0) }
            return [dormant, living]
        }
        #expect(found == [8, 8])
    }
}

extension SQLConnection {
    fileprivate func deviceColumns(
        _ engine: Engine, withCollations: Bool = true
    ) throws -> (living: [String], dormant: [String]) {
        (
            try columns(of: "devices", engine, withCollations),
            try columns(of: "dormant_devices", engine, withCollations)
        )
    }

    /// Each column of a table with what it may hold, in order. Who numbers a table's rows is another matter.
    private func columns(of table: String, _ engine: Engine, _ withCollations: Bool) throws -> [String] {
        let collation: SQLText = withCollations ? "coalesce(collation_name, '-')" : "''"
        let shape: SQLText =
            switch engine {
            case .sqlite:
                """
                SELECT name || ' ' || type || ' ' || "notnull" || ' ' || coalesce(dflt_value, '-') || ' ' || pk
                FROM pragma_table_info(?) ORDER BY cid
                """
            case .postgres:
                """
                SELECT column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '-')
                    || ' ' || \(collation)
                FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?
                ORDER BY ordinal_position
                """
            }
        return try query(shape, [.text(table)]) { $0.text(0) }
    }
}
