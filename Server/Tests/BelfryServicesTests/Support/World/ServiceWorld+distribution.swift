import BelfryServerTestSupport
import BelfryStore

extension ServiceWorld {
    /// The database as a program enters it once it is distributed. On a cluster it is so from the beginning; elsewhere the
    /// stand-in distributes it, and whoever has entered it before goes on as on one server.
    func enterDistributed(writers: Int = 1) async throws -> OpenTestStore {
        let isDistributed = try await database.read { $0.dialect.isDistributed }
        if !isDistributed {
            try await database.write { try CitusStandIn.install($0) }
            _ = try CitusStandIn.setUp(store, copyingRows: true)
        }
        return try store.another(writers: writers)
    }
}
