import BelfryStore
import Synchronization

/// The events that can bring devices into the audiences of an app's in-app messages (IAM-15), read from the store with
/// every upload and decoded once for as long as they are the same.
final class KnownEnteringEvents: Sendable {
    /// Apps whose names are kept decoded.
    private static let maximumApps = 1_000

    private struct Decoded {
        let source: EnteringEvents
        /// Nil: any.
        let names: Set<String>?
    }

    private let decoded = Mutex<[Int64: Decoded]>([:])

    /// Whether one of these events can.
    ///
    /// - Parameter source: those that can, as they are stored; nil: none.
    func hold(any names: Set<String>, app: Int64, _ source: EnteringEvents?) throws -> Bool {
        guard let source else { return false }
        let known = decoded.withLock { $0[app] }
        if let known, known.source == source { return known.names?.isDisjoint(with: names) != true }
        let wanted = try source.names()
        decoded.withLock { decoded in
            if decoded.count >= Self.maximumApps { decoded = [:] }
            decoded[app] = Decoded(source: source, names: wanted)
        }
        return wanted?.isDisjoint(with: names) != true
    }
}
