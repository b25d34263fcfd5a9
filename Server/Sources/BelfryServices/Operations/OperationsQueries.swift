import BelfryStore
import Foundation

/// The lengths of the server's queues, for all processes.
package struct WorkQueues: Hashable, Sendable {
    /// The highest number to which a queue is counted.
    package static let maximumCount = QueueRepository.maximumCount

    /// The number of entries, and since when the oldest waits.
    package typealias Length = QueueLength

    package let registrations: Length
    package let plans: Length
    package let batches: Length
    package let silentPushes: Length
    package let erasures: Length
    /// Rehearsals that no worker has begun.
    package let rehearsals: Length
}

/// Campaigns and push services that have stopped by themselves and need an operator.
package struct HaltedSending: Hashable, Sendable {
    package typealias Campaign = HaltedCampaign
    package typealias Sender = RejectedSender

    /// The campaigns, newest first.
    package let campaigns: [Campaign]
    /// Apps whose credentials a push service has rejected.
    package let senders: [Sender]
}

/// Queries about the whole server, for its operators (CON-10).
package struct OperationsQueries: Sendable {
    /// The database, its engine and its schema.
    package typealias Facts = DatabaseFacts

    package static let maximumHalted = 50
    /// The newest schema version that this program knows.
    package static var knownSchema: Int { Migration.newest }

    let database: any SQLDatabase
    let environment: ServerEnvironment

    package func queues() async throws -> WorkQueues {
        let now = environment.now()
        return try await database.read { connection in
            let queues = connection.queues
            return WorkQueues(
                registrations: try queues.registrations(), plans: try queues.plans(),
                batches: try queues.batches(now: now), silentPushes: try queues.silentPushes(now: now),
                erasures: try queues.erasures(), rehearsals: try queues.rehearsals()
            )
        }
    }

    package func halted() async throws -> HaltedSending {
        try await database.read { connection in
            HaltedSending(
                campaigns: try connection.queues.halted(limit: Self.maximumHalted),
                senders: try connection.queues.rejectedSenders()
            )
        }
    }

    package func facts() async throws -> Facts {
        try await database.read { try $0.facts() }
    }
}
