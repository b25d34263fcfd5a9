import Synchronization

/// Whether several servers hold a database together (FLEET-5), as its catalog says when a process enters it. All
/// connections that are made by the same settings know it; nobody asks for it again.
final class PostgresPlacement: Sendable {
    private let distributed = Atomic(false)

    var isDistributed: Bool { distributed.load(ordering: .relaxed) }

    /// Asks the server.
    func read(_ link: PostgresLink) throws {
        distributed.store(try CitusCatalog(link)?.isDistributed ?? false, ordering: .relaxed)
    }
}
