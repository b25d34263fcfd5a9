import BelfryModel
import BelfryWire
import Foundation

/// The messages that the devices of `belfry bench message-center` fetch.
enum BenchFetch: String, Sendable, Encodable {
    case primary
    case all

    /// The name of the device API call (WIRE-10).
    var call: String {
        switch self {
        case .primary: "message-centers/\(MessageCenterName.primary)/messages"
        case .all: "message-centers"
        }
    }

    /// Throws unless a response is complete: full message centers, the newest message first.
    func check(_ answer: Data, centers: Int) throws {
        let json = try CheckedJSON(answer, maximumBytes: BenchHTTP.maximumResponseBytes)
        let found: [[MessageCenterMessageBody]] =
            switch self {
            case .primary: [try json.decode(MessageCenterMessagesResponse.self).messages]
            case .all: try json.decode(MessageCentersResponse.self).messageCenters.map(\.messages)
            }
        let expected = self == .all ? centers : 1
        let isWhole = found.allSatisfy { messages in
            messages.count == MessageCenterLimits.messagesPerCenter
                && zip(messages, messages.dropFirst()).allSatisfy { $0.sentAt > $1.sentAt }
        }
        guard found.count == expected, isWhole else {
            throw MessageCenterBenchError.wrongAnswer(
                centers: found.count, of: expected, messages: found.joined().count)
        }
    }
}

enum MessageCenterBenchError: Error, CustomStringConvertible {
    case wrongAnswer(centers: Int, of: Int, messages: Int)

    var description: String {
        switch self {
        case .wrongAnswer(let centers, let expected, let messages):
            "A response has \(messages) messages in \(centers) of \(expected) message centers, or in the wrong order: "
                + "each has \(MessageCenterLimits.messagesPerCenter)."
        }
    }
}
