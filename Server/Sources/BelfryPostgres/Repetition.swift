/// When a transaction that has failed runs again, and after how long.
enum Repetition {
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

    /// - Parameters:
    ///   - attempt: how often it has run before, 0 for the first failure.
    ///   - jitter: between 0 and 1.
    /// - Returns: the pause in seconds; nil when it is not repeated.
    static func pause(after error: any Error, attempt: Int, jitter: Double) -> Double? {
        guard let error = error as? PostgresError else { return nil }
        if error.isConflict {
            guard attempt + 1 < maximumAttempts else { return nil }
            var pause = firstPause
            for _ in 0..<attempt { pause = min(pause * 2, longestPause) }
            return pause * (0.5 + jitter)
        }
        // The server was started anew meanwhile, so another connection may do. A second loss means that it is gone.
        return error.isLost && attempt == 0 ? 0 : nil
    }
}
