import BelfryStore
import Foundation
import Synchronization

/// Apps that were looked up a moment ago: every device call names one, and they hardly change.
final class AppCache: Sendable {
    /// How long another process's change of an app's settings may go unseen, in seconds.
    static let lifetime: TimeInterval = 1
    /// More apps than one server has; beyond them the cache starts anew.
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

    /// To be taken before an app is read from the store: what was read before a change is not kept after it.
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

    /// For a change that this process made.
    func remove(_ code: String) {
        state.withLock { state in
            state.removals += 1
            state.entries[code] = nil
        }
    }
}
