/// When a transaction that has failed runs again, after how long, and with whom beside it.
struct Repetition {
    /// Times that a transaction runs while others stand in its way.
    static let maximumAttempts = 12
    /// From this attempt on nobody else of this process writes meanwhile.
    static let firstAlone = 1
    /// From this attempt on no other process repeats a transaction meanwhile: two that make rows at the end of the same
    /// tables would stand in each other's way again and again.
    static let firstInTurn = 2
    /// Seconds before the second attempt; they double up to the longest.
    static let firstPause = 0.001
    static let longestPause = 0.2

    /// How often it has run before.
    private(set) var attempt = 0
    /// Whether it has run again because a key was taken. Since then it sees whose the key is.
    private var hasMetKey = false

    var isAlone: Bool { attempt >= Self.firstAlone }
    var isInTurn: Bool { attempt >= Self.firstInTurn }
    private var isLast: Bool { attempt + 1 >= Self.maximumAttempts }

    /// Whether a key that is taken refuses the write that wants it. Before, somebody else may have taken it only since this
    /// transaction began to look: the server calls that no conflict, though the transaction could not see it. When it runs
    /// again it sees the row, and what it asks before it writes decides.
    var isRefusedByKey: Bool { isLast || (hasMetKey && isInTurn) }

    /// Whether an error is no fault of the write that met it, so that all that share its transaction run again.
    func isOfAll(_ error: PostgresError) -> Bool {
        error.isOfAll || (error.isKeyTaken && !isRefusedByKey)
    }

    /// Counts a failure.
    ///
    /// - Parameter jitter: between 0 and 1.
    /// - Returns: the pause in seconds; nil when the transaction is not repeated.
    mutating func pause(after error: any Error, jitter: Double) -> Double? {
        guard let error = error as? PostgresError, let pause = shortestPause(after: error) else { return nil }
        attempt += 1
        hasMetKey = hasMetKey || error.isKeyTaken
        return pause * (0.5 + jitter)
    }

    private func shortestPause(after error: PostgresError) -> Double? {
        if error.isConflict || error.isKeyTaken {
            guard !isLast, error.isConflict || !isRefusedByKey else { return nil }
            var pause = Self.firstPause
            for _ in 0..<attempt { pause = min(pause * 2, Self.longestPause) }
            return pause
        }
        // The server was started anew meanwhile, so another connection may do. A second loss means that it is gone.
        return error.isLost && attempt == 0 ? 0 : nil
    }

    /// Why a transaction runs again, as a word.
    static func reason(of error: any Error) -> String? {
        guard let error = error as? PostgresError else { return nil }
        switch error.code {
        case "40001": return "serialization"
        case "40P01": return "deadlock"
        case "55P03": return "lock"
        default: return error.isKeyTaken ? "key" : "connection"
        }
    }
}
