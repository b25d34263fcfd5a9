import Foundation

/// Errors of the store, in addition to the engine's own errors.
package enum StoreError: Error, Hashable, Sendable {
    /// A row with this key already exists.
    case duplicate(key: String)
    /// The database was written by a program that is more than one version newer.
    case newerSchema(found: Int, known: Int)
    /// A move into the database has begun and is not complete.
    case unfinishedMove
    /// A stored value cannot be read back; says which table and key.
    case corrupted(table: String, key: String)
    /// The engine cannot do it now: a lock, a lost connection, memory. The same call may succeed later.
    case tryAgain(reason: String)
    /// The engine's disk is full. The same call succeeds once there is space.
    case full(reason: String)
    /// The engine cannot read its own files: they are damaged, and stay so until an operator restores them.
    case damaged(reason: String)
    /// A predicate has used up its budget of so many seconds.
    case tooExpensive(seconds: Double)
    /// Too many predicates are already waiting.
    case crowded
    /// The engine refuses the write, now and later: it breaks a constraint of the table.
    case rejected(reason: String)
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .duplicate(let key):
            "There is already an entry for '\(key)'."
        case .newerSchema(let found, let known):
            "The database has schema \(found). This program knows \(known) and runs on \(known + 1) at most. Run a newer "
                + "version of belfry."
        case .unfinishedMove:
            "'belfry migrate-store' has begun to move a deployment into the database and has not finished. Run it again."
        case .corrupted(let table, let key):
            "The row '\(key)' of table '\(table)' cannot be read; restore it from a backup."
        case .tryAgain(let reason):
            "The database cannot do it now: \(reason)"
        case .full(let reason):
            "The database has no room on its disk: \(reason)"
        case .damaged(let reason):
            "The database is damaged: \(reason)"
        case .tooExpensive(let seconds):
            "The audience takes longer than \(String(format: "%g", seconds)) s to evaluate. Narrow it by attributes, tags or "
                + "devices, or ask for fewer events and for shorter times."
        case .crowded:
            "Other audiences are being evaluated and more wait already. Try again in a few seconds."
        case .rejected(let reason):
            "The database refuses it: \(reason)"
        }
    }
}
