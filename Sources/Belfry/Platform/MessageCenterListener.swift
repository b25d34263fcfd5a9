/// Hears of the message centre on behalf of a platform that has a way of its own to tell apps (MC-11).
public protocol MessageCenterListener: Sendable {
    /// Centres have new messages.
    func centersUpdated(_ update: MessageCenterUpdate) async
    /// A fetch was answered.
    func centersAnswered(_ response: MessageCenterResponse) async
}

/// Hands on to a platform's listener what is told, until the streams end. The streams are made before anything can be
/// told, so nothing is missed.
struct CenterNewsDelivery: Sendable {
    private let listener: any MessageCenterListener
    private let updates: AsyncStream<MessageCenterUpdate>
    private let responses: AsyncStream<MessageCenterResponse>

    /// - Returns: nil for a platform that listens to nothing.
    init?(to listener: (any MessageCenterListener)?, from feeds: Feeds) {
        guard let listener else { return nil }
        self.listener = listener
        updates = feeds.centerUpdates.listen()
        responses = feeds.centerResponses.listen()
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await update in updates {
                    await listener.centersUpdated(update)
                }
            }
            group.addTask {
                for await response in responses {
                    await listener.centersAnswered(response)
                }
            }
        }
    }
}
