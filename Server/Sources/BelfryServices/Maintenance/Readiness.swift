import BelfryStore
import Foundation
import Logging

/// Whether this process can do its work. Anybody may ask as often as they like: the database is asked at most once a
/// second.
package actor Readiness {
    /// How long the result of one check is valid, in seconds.
    static let lifetime: TimeInterval = 1

    package enum State: String, Hashable, Sendable, CaseIterable {
        case ready
        /// The database does not respond.
        case databaseGone
        /// The database responds, but takes no writes.
        case readOnly
        /// The disk is full, or below its floor.
        case noRoom
        /// A program that is more than one version newer has changed the database's schema.
        case newerSchema
    }

    private let database: any SQLDatabase
    private let storage: StorageWatch
    private let environment: ServerEnvironment
    private var last: (at: Date, state: State)?
    private var look: Task<State, Never>?

    package init(database: any SQLDatabase, storage: StorageWatch, environment: ServerEnvironment) {
        self.database = database
        self.storage = storage
        self.environment = environment
    }

    package func state() async -> State {
        let found = await databaseState()
        guard found == .ready else { return found }
        switch storage.obstacle {
        case .noRoom?: return .noRoom
        case .noWrites?: return .readOnly
        case nil: return .ready
        }
    }

    private func databaseState() async -> State {
        let now = environment.now()
        // A result from the future is not used: the clock was set back.
        if let last, last.at <= now, now.timeIntervalSince(last.at) < Self.lifetime { return last.state }
        if let look { return await look.value }
        let look = Task { [database] in await Self.ask(database) }
        self.look = look
        let state = await look.value
        last = (now, state)
        self.look = nil
        return state
    }

    private static func ask(_ database: any SQLDatabase) async -> State {
        do {
            let version = try await database.read { try $0.newestSchema() }
            return version > Migration.newestAccepted ? .newerSchema : .ready
        } catch {
            return .databaseGone
        }
    }
}
