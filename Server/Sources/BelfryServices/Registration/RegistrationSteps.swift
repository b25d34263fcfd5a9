import BelfryStore
import Foundation

/// Applies registrations where several servers hold the database together, each in steps that are transactions of their own
/// (FLEET-5). What a process has left is gone on with at the first word of the device.
struct RegistrationSteps {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// Gives up a registration that can never be applied, with its word.
    let giveUp: @Sendable (_ key: RegistrationKey, _ error: any Error) async throws -> Void

    private enum Next: Sendable {
        /// It does not wait any more, or another process is at it.
        case nothing
        /// It was superseded.
        case done
        /// The words of its device, and then this registration again unless one of them was its own.
        case words(of: Int64, isBegun: Bool)
    }

    /// - Returns: whether it was processed.
    func process(_ key: RegistrationKey, _ snapshots: DecodedSnapshots) async throws -> Bool {
        while true {
            switch try await begin(key, snapshots) {
            case .nothing: return false
            case .done: return true
            case .words(let device, let isBegun):
                try await settle(device, for: key)
                if isBegun { return true }
            }
        }
    }

    private func settle(_ device: Int64, for key: RegistrationKey) async throws {
        while let word = try await database.read({ try $0.contactWords?.first(of: device) }) {
            do {
                try await step { try $0.tellFormer(word) }
                try await step { try $0.tell(word) }
                try await step { try $0.end(word) }
            } catch  where word.registration != key.id && SnapshotApplicationError(error) == .lasting {
                // What cannot be told is given up, and not what waits for it.
                try await giveUp(RegistrationKey(device: device, id: word.registration), error)
            }
        }
    }

    private func begin(_ key: RegistrationKey, _ snapshots: DecodedSnapshots) async throws -> Next {
        try await database.write { [environment] connection -> Next in
            guard let words = connection.contactWords, let row = try connection.registrations.claimWaiting(key)
            else {
                return .nothing
            }
            if let word = try words.first(of: row.device) {
                return .words(of: row.device, isBegun: word.registration == key.id)
            }
            var processing = RegistrationProcessing(
                connection: connection, snapshots: snapshots, now: environment.now(), environment: environment
            )
            try processing.hold(for: [row])
            return try processing.begin(row, keeping: words) ? .words(of: row.device, isBegun: true) : .done
        }
    }

    private func step(_ body: @escaping @Sendable (ContactWordSteps) throws -> Void) async throws {
        try await database.write { [environment] connection in
            guard let words = connection.contactWords else { return }
            try body(ContactWordSteps(connection: connection, words: words, now: environment.now()))
        }
    }

    /// Forgets the word of a registration that can never be applied, so that later ones of its device do not wait for it.
    static func forgetWord(of key: RegistrationKey, in connection: any SQLConnection) throws {
        guard let words = connection.contactWords, let word = try words.first(of: key.device),
            word.registration == key.id
        else { return }
        try words.remove(word)
    }
}
