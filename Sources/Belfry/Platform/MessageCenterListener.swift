/// Receives news of the message center, for a platform with its own way to inform apps (MC-11).
public protocol MessageCenterListener: Sendable {
    /// The shown message centers have changed.
    func centersUpdated(_ update: MessageCenterUpdate) async
    /// A response to a fetch arrived.
    func centersAnswered(_ response: MessageCenterResponse) async
}

/// Passes news to a platform's listener until the streams end. The streams are created before anything can be sent, so
/// nothing is missed.
struct MessageCenterNewsDelivery: Sendable {
    private let listener: any MessageCenterListener
    private let updates: AsyncStream<MessageCenterUpdate>
    private let responses: AsyncStream<MessageCenterResponse>

    /// - Returns: nil for a platform without a listener.
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
