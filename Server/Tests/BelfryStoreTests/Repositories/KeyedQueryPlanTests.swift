import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-4: each key is found by an index, however many are asked for, and however few rows a table has.
struct KeyedQueryPlanTests {
    private struct Case: Sendable {
        let query: KeyedQuery
        /// As SQL writes them.
        let arrays: [String]
        /// What the plan looks up for each key.
        let step: String
    }

    private static let keys = 64

    private static func array(_ value: (Int) -> String) -> String {
        "'{\((1...keys).map(value).joined(separator: ","))}'"
    }

    private static var cases: [Case] {
        let ids = array { "\($0 * 40)" }
        let (centers, moments, limits) = (array { _ in "primary" }, array { _ in "0" }, array { _ in "20" })
        let device = "Index Cond: (id = asked.key1)"
        return [
            Case(query: UploadLink.query, arrays: [ids], step: device),
            Case(query: RegisteringLink.query, arrays: [ids], step: device),
            Case(query: InAppSyncVersionRepository.query, arrays: [ids], step: device),
            Case(query: DormantDeviceRepository.activityQuery, arrays: [ids], step: device),
            Case(query: MessageCenterView.query, arrays: [centers, ids], step: "Index Cond: (id = asked.key2)"),
            Case(
                query: MessageCenterMessageRepository.outlineQuery(PostgresDialect()),
                arrays: [ids, centers, moments, limits],
                step: "Index Cond: ((contact_id = asked.key1) AND (center = asked.key2))"
            ),
            Case(
                query: MessageCenterMessageRepository.contentQuery(PostgresDialect()),
                arrays: [ids, array { _ in "letter" }],
                step: "Index Cond: ((campaign_id = asked.key1) AND (variant = asked.key2))"
            ),
            Case(
                query: RegistrationRepository.newestProcessedQuery, arrays: [ids],
                step: "Index Cond: (device_id = asked.key1)"
            ),
            Case(
                query: RegistrationRepository.newerForContactQuery, arrays: [ids, ids, moments, limits],
                step: "Index Cond: ((contact_id = asked.key1) AND (device_id = asked.key2))"
            ),
            Case(
                query: EventRepository.storedQuery, arrays: [ids, array { "event \($0)" }],
                step: "Index Cond: ((device_id = asked.key1) AND (event_id = asked.key2))"
            ),
            Case(
                query: BatchRepository.leaseQuery, arrays: [ids, ids, centers, moments],
                step: "Index Cond: ((campaign_id = asked.key1) AND (number = asked.key2))"
            ),
        ]
    }

    private static func arrayType(_ kind: TableShape.Kind) -> String {
        switch kind {
        case .integer: "bigint[]"
        case .real: "double precision[]"
        case .text: "text[]"
        case .bytes: "bytea[]"
        }
    }

    /// With all keys in the text, so that the planner knows how many they are.
    private static func explanation(_ sample: Case) -> SQLText {
        let parts = sample.query.arraysSQL.statement.components(separatedBy: "?")
        let whole = zip(parts, sample.arrays + [""]).map { $0 + $1 }.joined()
        return SQLText(ofTest: "EXPLAIN \(whole)")
    }

    /// A few thousand rows: few enough that one read of all of them looks cheaper than some dozen look-ups.
    private static func fill(_ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO devices (app_id, client_id, contact_id, link_generation, confirmed_generation, revision,
                token_order, properties_order, contact_order, created_at, updated_at)
            SELECT 1, 'device ' || n, n, 1, 1, 1, 0, 0, 0, 0, 0 FROM generate_series(1, 3000) n
            """
        )
        try connection.execute(
            """
            INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
            SELECT 1, 'contact ' || n, 1, '{}', 0, 0 FROM generate_series(1, 3000) n
            """
        )
        try connection.execute(
            """
            INSERT INTO registrations (device_id, registration_id, revision, snapshot, status, rejected, request_order,
                received_at, processed_at, contact_id)
            SELECT n, 'registration ' || r, r, '{}', 'processed', '[]', 0, 0, 0, n
            FROM generate_series(1, 3000) n, generate_series(1, 3) r
            """
        )
        try connection.execute(
            """
            INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, body)
            SELECT n, 'primary', m, m, 1, '', 'unread', '{}' FROM generate_series(1, 3000) n, generate_series(1, 3) m
            """
        )
        try connection.execute(
            """
            INSERT INTO center_contents (campaign_id, variant, body)
            SELECT n, v, '{}' FROM generate_series(1, 3000) n, unnest(ARRAY['', 'letter']) v
            """
        )
        try connection.execute(
            """
            INSERT INTO events (device_id, event_id, app_id, kind, name, at, received_at, attributes)
            SELECT n, 'event ' || e, 1, 'custom', 'visit', 0, 0, '{}'
            FROM generate_series(1, 3000) n, generate_series(1, 3) e
            """
        )
        try connection.execute(
            """
            INSERT INTO batches (campaign_id, number, first_device, last_device, available_at, lease_owner, lease_until)
            SELECT n, n, n, n, 0, 'primary', 0 FROM generate_series(1, 3000) n
            """
        )
    }

    @Test("FLEET-4, PERF-15: each of many keys is found by an index, as one alone is; no table is read as a whole")
    func plans() async throws {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await store.write { try Self.fill($0) }
        try await store.write { try $0.analyze(.postgres) }
        for sample in Self.cases {
            let plans = try await store.read { connection in
                let plan = try connection.plan(
                    ofPrepared: sample.query.arraysSQL, types: sample.query.kinds.map(Self.arrayType),
                    arguments: sample.arrays
                )
                // As if the connection let the server read tables as a whole.
                try connection.execute("SET LOCAL enable_seqscan = on")
                let other = try connection.query(Self.explanation(sample), []) { $0.text(0) }
                return [plan, other.joined(separator: "\n")]
            }
            for plan in plans {
                #expect(plan.contains(sample.step), "\(sample.step) in \(plan)")
                for table in [
                    "devices", "contacts", "registrations", "center_messages", "center_contents", "events", "batches",
                ] {
                    #expect(!plan.contains("Seq Scan on \(table)"), "\(plan)")
                }
            }
        }
    }
}
