import BelfryStore
import Synchronization

/// The events that can bring devices into the audiences of an app's in-app messages (IAM-15). Every upload reads them
/// from the store; they are decoded once until they change.
final class KnownEnteringEvents: Sendable {
    /// The number of apps whose decoded names are kept.
    private static let maximumApps = 1_000

    private struct Decoded {
        let source: EnteringEvents
        /// The names. Nil: any event.
        let names: Set<String>?
    }

    private let decoded = Mutex<[Int64: Decoded]>([:])

    /// Whether one of these events can bring a device into an audience.
    ///
    /// - Parameter source: the app's entering events as they are stored. Nil: there are none.
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
