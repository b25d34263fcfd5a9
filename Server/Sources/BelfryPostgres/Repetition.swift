/// Decides whether a failed transaction runs again, after which pause, and whether alone.
struct Repetition {
    /// The most times that a transaction runs if it meets conflicts.
    static let maximumAttempts = 12
    /// From this attempt on, this process runs no other write transaction at the same time.
    static let firstAlone = 1
    /// From this attempt on, no other process repeats a transaction at the same time: two that add rows at the end of
    /// the same tables would conflict again and again.
    static let firstInTurn = 2
    /// Seconds before the second attempt; the pause doubles up to the longest.
    static let firstPause = 0.001
    static let longestPause = 0.2

    /// How many attempts came before this one.
    private(set) var attempt = 0
    /// Whether it has run again because a key was taken. Since then it sees the row that has the key.
    private var hasMetKey = false

    var isAlone: Bool { attempt >= Self.firstAlone }
    var isInTurn: Bool { attempt >= Self.firstInTurn }
    private var isLast: Bool { attempt + 1 >= Self.maximumAttempts }

    /// Whether a taken key is an error of the write that wants it. At first, another transaction may have taken the key
    /// since this one's snapshot: the server does not report that as a conflict, though the transaction could not see
    /// the row. When it runs again it sees the row, and the checks before its write decide.
    var isRejectedByKey: Bool { isLast || (hasMetKey && isInTurn) }

    /// Whether an error does not depend on the write that got it, so that all writes of the transaction run again.
    func isOfAll(_ error: PostgresError) -> Bool {
        error.isOfAll || (error.isKeyTaken && !isRejectedByKey)
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
            guard !isLast, error.isConflict || !isRejectedByKey else { return nil }
            var pause = Self.firstPause
            for _ in 0..<attempt { pause = min(pause * 2, Self.longestPause) }
            return pause
        }
        // The server may have restarted, so another connection may work. A second loss means that it is gone.
        return error.isLost && attempt == 0 ? 0 : nil
    }

    /// Why a transaction runs again, as a word for metrics.
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
