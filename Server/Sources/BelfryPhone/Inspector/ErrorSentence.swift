import Belfry

/// Errors as sentences for people. The texts of the errors themselves are for programs and their developers.
enum ErrorSentence {
    static func text(of error: any Error) -> String {
        switch error {
        case let error as PhoneActionError: whole(error.description)
        case let error as MessageCenterError: messageCenter(error)
        case let error as InAppError: error.code == .storageUnavailable ? storage : whole(error.message)
        case let error as BelfryError: call(error)
        default: "That failed, and the phone does not know why (\(type(of: error)))."
        }
    }

    /// The message of an error as a sentence: with a punctuation mark at its end.
    static func whole(_ message: String) -> String {
        let signs: [Unicode.Scalar] = [".", "!", "?", "…"]
        guard let last = message.unicodeScalars.last else { return "No reason was given." }
        return signs.contains(last) ? message : "\(message)."
    }

    private static let storage = "The phone's storage cannot be read or written at the moment."

    private static func messageCenter(_ error: MessageCenterError) -> String {
        switch error.code {
        case .noNetwork: "There was no response: the phone has no network, or the server does not answer."
        case .maximumRetryReached: "Too many attempts in a row had no response. The SDK tries again later."
        case .tooManyRequests: "The server takes no more requests at the moment. Try it again later."
        case .serverUnavailable: "The server is not available at the moment. Try it again later."
        case .storageUnavailable: storage
        default: whole(error.message)
        }
    }

    private static func call(_ error: BelfryError) -> String {
        switch error.code {
        case .storageUnavailable: storage
        case .directoryInUse: "The app does not start: another program uses the data of this phone."
        case .invalidEvent: "The SDK refuses the event: \(whole(error.message))"
        default: whole(error.message)
        }
    }
}
