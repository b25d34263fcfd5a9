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

    private let entries = Mutex<[String: Entry]>([:])

    func find(_ code: String, now: Date) -> AppRecord? {
        entries.withLock { entries in
            guard let entry = entries[code], entry.until > now, entry.until <= now.addingTimeInterval(Self.lifetime)
            else { return nil }
            return entry.app
        }
    }

    func insert(_ app: AppRecord, now: Date) {
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = [:] }
            entries[app.code.rawValue] = Entry(app: app, until: now.addingTimeInterval(Self.lifetime))
        }
    }
}
