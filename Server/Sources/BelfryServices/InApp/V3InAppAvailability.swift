import Synchronization

/// Which apps may have something to answer to events, as it was when the app was looked up (IAM-13). The express lane
/// asks it, so that uploads are slower only where there is a message to look for.
package final class V3InAppAvailability: Sendable {
    private let notes = Mutex<[Int64: Bool]>([:])

    /// Whether events of the app are to be looked at; of an app that nobody has looked up, too.
    package func mayAnswer(app: Int64) -> Bool {
        notes.withLock { $0[app] } ?? true
    }

    /// A campaign of the app was changed: until the app is looked up again, events are looked at.
    package func forget(app: Int64) {
        notes.withLock { $0[app] = nil }
    }

    func note(app: Int64, mayAnswer: Bool) {
        notes.withLock { $0[app] = mayAnswer }
    }
}
