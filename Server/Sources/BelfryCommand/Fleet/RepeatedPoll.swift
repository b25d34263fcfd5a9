import AsyncHTTPClient

/// A long poll that is asked again and again. An outage lasts as long as it does: what came meanwhile is asked for
/// afterwards, because one that has failed says nothing about the next.
struct RepeatedPoll<Item: SimulatorControl.Arrival>: Sendable {
    enum News: Sendable {
        /// In the order in which they came.
        case arrived([Item])
        /// Nobody has answered, or not with what was asked for.
        case lost
        /// There is an answer again.
        case back
        /// The push service does not know the token, or the subscription, any more. Nothing follows.
        case unknown
    }

    /// Asks once for what has come beyond a number.
    let poll: @Sendable (_ newest: Int) async throws -> [Item]
    /// Waits between a failure and the next attempt.
    let pause: @Sendable () async -> Void

    /// Returns when the task is cancelled, and when there is nothing left to ask for.
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
            } catch DevicePushServiceError.refused(_, status: 404) {
                return tell(.unknown)
            } catch let error as HTTPClientError where error == .alreadyShutdown {
                // Whoever has put the client away asks nothing more.
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
