import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A fetch of the centres under way.
struct CenterFetch: Sendable {
    /// As they were when it began.
    let generation: Int
    let marks: Int
    /// The address that is asked (MC-11).
    let url: URL?
    /// The revision of the badge when it began.
    let badgeRevision: Int64
    /// The numbers of those who wait for it.
    let awaited: [Int]
}

/// What an answer brought, to be told after it was stored (MC-11).
struct CenterNews: Sendable {
    let update: MessageCenterUpdate?
    let response: MessageCenterResponse?
}

/// The answer of a fetch, read (MC-10).
enum CenterReading {
    /// Centres of an answer, and messages of each, that are kept; no Belfry server says more.
    static let maximumCenters = 16
    static let maximumMessages = 100

    case read(MessageCentersAnswer, [StoredCenterMessage])
    case flawed(AnswerFlaw)

    /// One message that cannot be read spoils the answer: it did not come from a Belfry server as it was sent.
    init(_ body: Data) {
        guard !body.isEmpty else {
            self = .flawed(.empty)
            return
        }
        guard let answer = try? CheckedJSON.answer(MessageCentersAnswer.self, body),
            let messages = Self.messages(of: answer)
        else {
            self = .flawed(.unreadable)
            return
        }
        self = .read(answer, messages)
    }

    private static func messages(of answer: MessageCentersAnswer) -> [StoredCenterMessage]? {
        var messages: [StoredCenterMessage] = []
        for center in answer.messageCenters.prefix(maximumCenters) {
            for var body in center.messages.prefix(maximumMessages) {
                body.center = center.name
                guard let message = StoredCenterMessage(body) else { return nil }
                messages.append(message)
            }
        }
        return messages
    }
}
