import Foundation

/// Tells the app of new messages and hands out what was fetched (MC-11). Each access is a listener of its own, and hears
/// what comes from then on.
final class CenterFeed: Sendable {
    /// Updates that wait for a slow listener, and responses, which are large.
    static let maximumUpdates = 100
    static let maximumResponses = 4

    private let updateBroadcast = Broadcast<MessageCenterUpdate>(maximumWaiting: CenterFeed.maximumUpdates)
    private let responseBroadcast = Broadcast<MessageCenterResponse>(maximumWaiting: CenterFeed.maximumResponses)

    var updates: AsyncStream<MessageCenterUpdate> { updateBroadcast.listen() }
    var responses: AsyncStream<MessageCenterResponse> { responseBroadcast.listen() }

    func tell(_ update: MessageCenterUpdate) {
        updateBroadcast.send(update)
    }

    func tell(_ response: MessageCenterResponse) {
        responseBroadcast.send(response)
    }

    /// What waits is for a person who has left (MC-12).
    func purge() {
        updateBroadcast.purge()
        responseBroadcast.purge()
    }

    func finish() {
        updateBroadcast.finish()
        responseBroadcast.finish()
    }
}
