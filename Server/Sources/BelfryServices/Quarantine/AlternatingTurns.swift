import Synchronization

/// Lets what is worked on in groups and what is worked on alone take turns, so that neither keeps the other waiting:
/// not even when the one that is worked on alone ends the process each time.
final class AlternatingTurns: Sendable {
    private let isAlonesTurn = Mutex(false)

    /// - Parameters:
    ///   - group: whether a group waits.
    ///   - alone: whether something waits that is worked on alone.
    /// - Returns: whether that one is next.
    func isAlone(group: Bool, alone: Bool) -> Bool {
        isAlonesTurn.withLock { isAlonesTurn in
            let isAlone = alone && (isAlonesTurn || !group)
            isAlonesTurn = !isAlone
            return isAlone
        }
    }
}
