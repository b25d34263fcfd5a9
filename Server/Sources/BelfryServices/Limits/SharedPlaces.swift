import Synchronization

/// A number of places for all holders together, and a number for each of them (SEC-2).
package final class SharedPlaces<Holder: Hashable & Sendable>: Sendable {
    private struct State {
        var all = 0
        var ofHolders: [Holder: Int] = [:]
    }

    private let maximum: Int
    private let maximumOfHolder: Int
    private let state = Mutex(State())

    package init(_ maximum: Int, ofHolder maximumOfHolder: Int) {
        self.maximum = maximum
        self.maximumOfHolder = maximumOfHolder
    }

    /// - Returns: whether there was a place. The caller returns it by ``giveBack(_:)``.
    package func take(_ holder: Holder) -> Bool {
        state.withLock { state in
            let own = state.ofHolders[holder, default: 0]
            guard state.all < maximum, own < maximumOfHolder else { return false }
            state.all += 1
            state.ofHolders[holder] = own + 1
            return true
        }
    }

    package func giveBack(_ holder: Holder) {
        state.withLock { state in
            state.all -= 1
            let left = state.ofHolders[holder, default: 1] - 1
            state.ofHolders[holder] = left == 0 ? nil : left
        }
    }
}
