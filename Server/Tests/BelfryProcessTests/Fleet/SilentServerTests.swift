import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryPostgres

@Suite("A PostgreSQL server falls silent")
struct SilentServerTests {
    @Test(
        "FLEET-7: whoever ends a statement of a server that is silent does not wait for it",
        .timeLimit(.minutes(5))
    )
    func cancellation() async throws {
        try await FreezingProxy.run(before: TestPostgres.text(schema: "public")) { proxy, address in
            let cancel = try await offPool { try PostgresLink(PostgresAddress(address).settings).cancellation() }
            proxy.freeze()
            // The second time it is being told still.
            for _ in 0..<2 { try await offPool { cancel() } }
        }
    }

    @Test(
        """
        FLEET-7, STO-2: calls that wait for a server which falls silent end with an error, as do those that come after \
        them; when it answers again they succeed
        """,
        .enabled(if: Endurance.isOn, "make endurance runs it"), .timeLimit(.minutes(10))
    )
    func alone() async throws {
        let schema = "silent-\(UUID().uuidString)"
        try await offPool { try TestPostgres.makeSchema(schema) }
        // How long somebody waits who asks whether it is there.
        let text = try TestPostgres.text(schema: schema)
            .replacing("connect_timeout=300", with: "connect_timeout=20")
        try await FreezingProxy.run(before: text) { proxy, address in
            let store = try await offPool { try OpenTestStore(address: address) }
            func ask() async throws -> Int {
                try await store.database.read { try $0.newestSchema() }
            }
            #expect(try await ask() == Migration.newest)
            proxy.freeze()
            for _ in 0..<3 {
                let error = await #expect(throws: StoreError.self) { try await ask() }
                guard case .tryAgain? = error else {
                    Issue.record("\(String(describing: error))")
                    break
                }
            }
            proxy.thaw()
            try await eventually("it is read again") {
                try? await ask()
            } until: {
                $0 == Migration.newest
            }
            try await offPool { try store.close() }
        }
        try await offPool { TestPostgres.dropSchema(schema) }
    }
}
