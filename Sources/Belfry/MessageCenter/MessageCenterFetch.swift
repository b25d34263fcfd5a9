import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A fetch of the centers in progress.
struct MessageCenterFetch: Sendable {
    /// The generation when the fetch began.
    let generation: Int
    let marks: Int
    /// The address of the request (MC-11).
    let url: URL?
    /// The revision of the badge when the fetch began.
    let badgeRevision: Int64
    /// The numbers of the callers that wait for it.
    let awaited: [Int]
}

/// The news of a response, to be sent to the app after it is stored (MC-11).
struct MessageCenterNews: Sendable {
    let update: MessageCenterUpdate?
    let response: MessageCenterResponse?
}

/// The decoded response to a fetch (MC-10).
enum MessageCenterReading {
    /// The maximum number of centers, and of messages in each; a Belfry server sends fewer.
    static let maximumCenters = 16
    static let maximumMessages = 100

    case read(MessageCentersResponse, [StoredMessageCenterMessage])
    case flawed(ResponseFlaw)

    /// One unreadable message makes the whole response invalid: it did not arrive as a Belfry server sent it.
    init(_ body: Data) {
        guard !body.isEmpty else {
            self = .flawed(.empty)
            return
        }
        guard let response = try? CheckedJSON.response(MessageCentersResponse.self, body),
            let messages = Self.messages(of: response)
        else {
            self = .flawed(.unreadable)
            return
        }
        self = .read(response, messages)
    }

    private static func messages(of response: MessageCentersResponse) -> [StoredMessageCenterMessage]? {
        var messages: [StoredMessageCenterMessage] = []
        for center in response.messageCenters.prefix(maximumCenters) {
            for var body in center.messages.prefix(maximumMessages) {
                body.center = center.name
                guard let message = StoredMessageCenterMessage(body) else { return nil }
                messages.append(message)
            }
        }
        return messages
    }
}
