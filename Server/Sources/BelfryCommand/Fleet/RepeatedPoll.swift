import AsyncHTTPClient

/// Repeats a long poll. It continues after failures of any length: a failed poll says nothing about the next one, and
/// items that arrived in between are fetched afterwards.
struct RepeatedPoll<Item: SimulatorControl.Arrival>: Sendable {
    enum News: Sendable {
        /// New items, in the order in which they arrived.
        case arrived([Item])
        /// There was no response, or not the expected one.
        case lost
        /// There is a response again after a failure.
        case back
        /// The push service no longer knows the token or the subscription. This is the last news.
        case unknown
    }

    /// Polls once for the items after a sequence number.
    let poll: @Sendable (_ newest: Int) async throws -> [Item]
    /// Waits between a failure and the next attempt.
    let pause: @Sendable () async -> Void

    /// Returns when the task is cancelled, or when the push service no longer knows the token.
    func run(after former: Int, _ tell: (News) -> Void) async {
        var newest = former
        var isLost = false
        while !Task.isCancelled {
            do {
                let items = try await poll(newest)
                if isLost { tell(.back) }
                isLost = false
                newest = items.reduce(newest) { max($0, $1.sequence) }
                if !items.isEmpty { tell(.arrived(items)) }
            } catch DevicePushServiceError.rejected(_, status: 404) {
                return tell(.unknown)
            } catch let error as HTTPClientError where error == .alreadyShutdown {
                // The client was shut down, so there are no further polls.
                return
            } catch {
                guard !Task.isCancelled else { return }
                if !isLost { tell(.lost) }
                isLost = true
                await pause()
            }
        }
    }
}
