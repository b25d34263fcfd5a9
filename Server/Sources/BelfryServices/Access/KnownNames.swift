import Foundation
import Synchronization

/// A recent list of all names of a kind: of apps, or of admin keys. An unknown name costs a lookup in the store. When
/// so many come that somebody seems to be guessing, the server reads all names once a second and refuses unknown ones
/// from memory (SEC-9). Otherwise, and for known names, it looks up each one, so that a name that another process has
/// made counts immediately.
package final class KnownNames<Name: Hashable & Sendable>: Sendable {
    /// How long the list is valid, in seconds.
    static var lifetime: TimeInterval { 1 }
    /// Lookups of unknown names that are allowed in a second before the list is read.
    static var freeMisses: Int { 50 }
    /// With more names than this, each name is looked up.
    static var maximumCount: Int { 10_000 }

    private struct State {
        var names: Set<Name> = []
        /// The end of the list's validity. Nil: no list was read.
        var until: Date?
        var second: Int64 = 0
        var misses = 0
        /// The second in which the list was last requested. Nil: never.
        var lastRead: Int64?
        var changes = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the list is valid and does not contain the name.
    func rejects(_ name: Name, now: Date) -> Bool {
        state.withLock { state in
            guard let until = state.until, until > now, until <= now.addingTimeInterval(Self.lifetime) else {
                return false
            }
            return !state.names.contains(name)
        }
    }

    /// Counts a lookup that found nothing.
    ///
    /// - Returns: a ticket when the caller is to read all names and pass them to ``keep(_:now:ticket:)``.
    func miss(now: Date) -> Int? {
        state.withLock { state in
            let second = Int64(now.timeIntervalSince1970.rounded(.down))
            if state.second != second {
                state.second = second
                state.misses = 0
            }
            state.misses += 1
            // One read in a second is enough, even if many lookups are in progress or the read fails.
            guard state.misses > Self.freeMisses, state.lastRead != second else { return nil }
            state.lastRead = second
            return state.changes
        }
    }

    /// Stores the list of names. A list that was read before a change is not stored after it.
    func keep(_ names: [Name], now: Date, ticket: Int) {
        state.withLock { state in
            guard state.changes == ticket, names.count <= Self.maximumCount else { return }
            state.names = Set(names)
            state.until = now.addingTimeInterval(Self.lifetime)
        }
    }

    /// Discards the list, because this process has made a name.
    func change() {
        state.withLock { state in
            state.changes += 1
            state.names = []
            state.until = nil
        }
    }
}
