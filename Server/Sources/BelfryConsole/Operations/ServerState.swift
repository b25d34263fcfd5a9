import BelfryServices
import Foundation

/// The data of the server's page, all read at about the same moment.
struct ServerState: Sendable {
    let now: Date
    let readiness: Readiness.State
    let storage: StorageReport?
    let facts: OperationsQueries.Facts
    let queues: WorkQueues
    let halted: HaltedSending
    let quarantined: [QuarantinedWork]
    let heldLines: Int
    /// Counters and gauges of this process.
    let metrics: [String: Int]
    /// The increase of each counter per minute; nil in the first moments after the start.
    let rates: [String: Double]?
    let version: String

    /// The period over which rates are taken, in seconds.
    static let span: TimeInterval = 60
    /// The number of quarantined items that are read: enough to say that there are some.
    static let maximumQuarantined = 100

    init(_ services: APIServices, version: String) async throws {
        now = services.now()
        readiness = await services.readiness.state()
        storage = services.storage.diskReport
        facts = try await services.operations.facts()
        queues = try await services.operations.queues()
        halted = try await services.operations.halted()
        quarantined = try await services.quarantine.list(
            app: nil, before: nil, limit: Self.maximumQuarantined
        ).work
        heldLines = services.access.log.heldCount
        metrics = services.metrics.values
        rates = services.rates.perMinute(over: Self.span)
        self.version = version
    }
}
