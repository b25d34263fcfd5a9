import BelfryTestSupport
import Foundation

@testable import Belfry

/// The life of a device's process, which a test lets end at one write of the store. From that instant on nothing of the
/// process reaches its storage, until another process is born.
final class Mortality: Sendable {
    enum Instant: String, CaseIterable, Sendable {
        case beforeWrite = "before the write"
        /// The write is durable, and its caller does not know yet.
        case afterWrite = "after the write"
    }

    struct Died: Error {}

    /// The writes of a story at which its device dies, counted from 1: all in `make endurance`. In `make test` they are
    /// the first of each kind and every `step`-th, before a write at others than after it.
    ///
    /// - Parameter slice: the runs share the cores; each takes its part of the places.
    static func places(
        in writes: [StoreWrite], _ instant: Instant, every step: Int, slice: Int, of slices: Int
    ) -> [Int] {
        let first = instant == .beforeWrite ? 0 : step / 2
        let kinds = Set(writes).compactMap { writes.firstIndex(of: $0) }
        let places = Set(kinds + Endurance.sample(Array(writes.indices), every: step, from: first)).sorted()
        return places.indices.filter { $0 % slices == slice }.map { places[$0] + 1 }
    }

    private struct State {
        var writes: [StoreWrite] = []
        var doom: (write: Int, instant: Instant)?
        var isDead = false

        /// - Throws: when the process is dead, or dies here.
        mutating func reach(_ instant: Instant) throws(Died) {
            guard !isDead else { throw Died() }
            if let doom, doom.write == writes.count, doom.instant == instant { isDead = true }
            if isDead { throw Died() }
        }
    }

    private let state = Locked(State())

    /// The writes of the store so far, in order.
    var writes: [StoreWrite] {
        state.withLock { $0.writes }
    }

    var isDead: Bool {
        state.withLock { $0.isDead }
    }

    /// The process dies at that write, counted from 1.
    func doom(write: Int, _ instant: Instant) {
        state.withLock { $0.doom = (write, instant) }
    }

    /// The process dies now.
    func die() {
        state.withLock { $0.isDead = true }
    }

    /// Another process is born over the same storage; it lives on.
    func revive() {
        state.withLock { state in
            state.doom = nil
            state.isDead = false
        }
    }

    /// Reports every access to the store.
    var probe: StoreProbe {
        StoreProbe(
            access: { [self] in
                if isDead { throw Died() }
            },
            before: { [self] write in
                try state.withLock { (state: inout State) throws(Died) -> Void in
                    state.writes.append(write)
                    try state.reach(.beforeWrite)
                }
            },
            after: { [self] _ in
                try state.withLock { (state: inout State) throws(Died) -> Void in try state.reach(.afterWrite) }
            }
        )
    }
}
