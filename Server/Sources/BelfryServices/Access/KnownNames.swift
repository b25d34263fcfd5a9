import Foundation
import Synchronization

/// The names that there are, as they were a moment ago: of apps, of admin keys. A name that nobody has costs a look into
/// the store; when so many of them come that somebody is trying, all names are read once a second, and what is not among
/// them is refused from memory (SEC-9). Until then, and for names that are there, each is looked up, so that a name made
/// by another process counts at once.
package final class KnownNames<Name: Hashable & Sendable>: Sendable {
    /// How long the names count that were read, in seconds.
    static var lifetime: TimeInterval { 1 }
    /// Looks in one second that may find nothing.
    static var freeMisses: Int { 50 }
    /// Beyond so many names each is looked up.
    static var maximumCount: Int { 10_000 }

    private struct State {
        var names: Set<Name> = []
        /// Nil: none were read.
        var until: Date?
        var second: Int64 = 0
        var misses = 0
        /// The second in which all names were last asked for; nil: none.
        var lastRead: Int64?
        var changes = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the name is none, as far as memory tells.
    func refuse(_ name: Name, now: Date) -> Bool {
        state.withLock { state in
            guard let until = state.until, until > now, until <= now.addingTimeInterval(Self.lifetime) else {
                return false
            }
            return !state.names.contains(name)
        }
    }

    /// Counts a look that found nothing.
    ///
    /// - Returns: a ticket, when all names are to be read; it goes to ``keep(_:now:ticket:)``.
    func miss(now: Date) -> Int? {
        state.withLock { state in
            let second = Int64(now.timeIntervalSince1970.rounded(.down))
            if state.second != second {
                state.second = second
                state.misses = 0
            }
            state.misses += 1
            // One look at all of them is enough, however many misses are under way and whatever becomes of it.
            guard state.misses > Self.freeMisses, state.lastRead != second else { return nil }
            state.lastRead = second
            return state.changes
        }
    }

    /// Keeps the names that were read; what was read before a change is not kept after it.
    func keep(_ names: [Name], now: Date, ticket: Int) {
        state.withLock { state in
            guard state.changes == ticket, names.count <= Self.maximumCount else { return }
            state.names = Set(names)
            state.until = now.addingTimeInterval(Self.lifetime)
        }
    }

    /// For a name that this process has made.
    func change() {
        state.withLock { state in
            state.changes += 1
            state.names = []
            state.until = nil
        }
    }
}
