import BelfryStore
import Foundation
import Synchronization

/// Apps that were looked up recently: every device call names an app, and apps hardly ever change.
final class AppCache: Sendable {
    /// How long another process's change of an app's settings may go unnoticed, in seconds.
    static let lifetime: TimeInterval = 1
    /// More apps than one server has. Beyond this count the cache is emptied.
    static let maximumCount = 1_000

    private struct Entry {
        let app: AppRecord
        let until: Date
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var removals = 0
    }

    private let state = Mutex(State())

    func find(_ code: String, now: Date) -> AppRecord? {
        state.withLock { state in
            guard let entry = state.entries[code], entry.until > now,
                entry.until <= now.addingTimeInterval(Self.lifetime)
            else { return nil }
            return entry.app
        }
    }

    /// A ticket to take before an app is read from the store. An app that was read before a change is not cached after
    /// the change.
    func ticket() -> Int {
        state.withLock { $0.removals }
    }

    func insert(_ app: AppRecord, now: Date, ticket: Int) {
        state.withLock { state in
            guard state.removals == ticket else { return }
            if state.entries.count >= Self.maximumCount { state.entries = [:] }
            state.entries[app.code.rawValue] = Entry(app: app, until: now.addingTimeInterval(Self.lifetime))
        }
    }

    /// Removes an app that this process has changed.
    func remove(_ code: String) {
        state.withLock { state in
            state.removals += 1
            state.entries[code] = nil
        }
    }
}
