import BelfryStore
import Synchronization

/// Whether several servers hold a database together (FLEET-5), as its catalog says when a process enters it. All
/// connections that are made by the same settings know it; nobody asks for it again.
final class PostgresPlacement: Sendable {
    /// The name of Citus' catalog.
    let catalog: SQLText
    private let distributed = Atomic(false)

    init(catalog: SQLText = PostgresSettings.standardCatalog) {
        self.catalog = catalog
    }

    var isDistributed: Bool { distributed.load(ordering: .relaxed) }

    /// Asks the server.
    func read(_ link: PostgresLink) throws {
        distributed.store(try CitusCatalog(link, name: catalog)?.isDistributed ?? false, ordering: .relaxed)
    }
}
