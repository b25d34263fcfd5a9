import BelfryStore
import Foundation

/// What waits in each queue of the server, of all processes.
package struct WorkQueues: Hashable, Sendable {
    /// Nothing is counted beyond this.
    package static let maximumCount = QueueRepository.maximumCount

    /// How many, and since when the oldest waits.
    package typealias Length = QueueLength

    package let registrations: Length
    package let plans: Length
    package let batches: Length
    package let silentPushes: Length
    package let erasures: Length
    /// Those that no worker has begun.
    package let rehearsals: Length
}

/// What has stopped by itself and waits for somebody.
package struct HaltedSending: Hashable, Sendable {
    package typealias Campaign = HaltedCampaign
    package typealias Sender = RefusedSender

    /// The newest first.
    package let campaigns: [Campaign]
    /// Apps whose credentials a push service has refused.
    package let senders: [Sender]
}

/// Looks at the whole server for its operators (CON-10).
package struct OperationsQueries: Sendable {
    /// The database, its engine and its schema.
    package typealias Facts = DatabaseFacts

    package static let maximumHalted = 50
    /// The schema that this program knows.
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
                senders: try connection.queues.refusedSenders()
            )
        }
    }

    package func facts() async throws -> Facts {
        try await database.read { try $0.facts() }
    }
}
