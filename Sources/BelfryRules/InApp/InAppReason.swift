import BelfryModel
import Foundation

/// The reason why a message is not shown, or not yet. The ledger counts the word; the app and support see the sentence.
public enum InAppReason: Hashable, Sendable, Codable {
    /// Too little time has passed since the last message left the screen.
    case anotherShown(secondsAgo: Int)
    /// A message is on the screen or about to be shown.
    case onScreen
    /// Another message that was due at the same time comes first; the value is its campaign.
    case outranked(by: String)
    case paused
    case vetoed
    case deferred
    case exhausted(displays: Int, limit: Int)
    case expired
    case notStarted(until: Date)
    case sessionCap(Int)
    case dayCap(Int)
    case notForeground
    case recalled
    case personChanged
    /// It was edited while it was about to be shown, and is now triggered by something else.
    case edited
    /// The page could not be loaded, or not in time.
    case loadFailed
    /// The presenter could not put it on the screen.
    case displayFailed
    case noPresenter
    /// The app is in front, but has no screen at the moment, for example because of a system dialog.
    case noScreen
    case delayed(until: Date)
    /// The event happened, but not often enough.
    case occurrence(Int, of: Int)
    /// An inline message was requested as if it covered the app.
    case inline
}

extension InAppReason {
    /// The words that the ledger counts: stable, in camel case.
    public enum Word: String, CaseIterable, Sendable {
        case anotherShown, onScreen, outranked, paused, vetoed, deferred, exhausted, expired, notStarted
        case sessionCap, dayCap, notForeground, recalled, personChanged, edited, loadFailed, displayFailed
        case noPresenter, noScreen, delayed, occurrence, inline
        /// Any other word, so that words which clients invent do not grow without limit.
        case other

        /// The word under which a device's reason is counted.
        public init(counting word: String) {
            self = Word(rawValue: word) ?? .other
        }
    }

    /// The ``word`` as text.
    public var code: String { word.rawValue }

    public var word: Word {
        switch self {
        case .anotherShown: .anotherShown
        case .onScreen: .onScreen
        case .outranked: .outranked
        case .paused: .paused
        case .vetoed: .vetoed
        case .deferred: .deferred
        case .exhausted: .exhausted
        case .expired: .expired
        case .notStarted: .notStarted
        case .sessionCap: .sessionCap
        case .dayCap: .dayCap
        case .notForeground: .notForeground
        case .recalled: .recalled
        case .personChanged: .personChanged
        case .edited: .edited
        case .loadFailed: .loadFailed
        case .displayFailed: .displayFailed
        case .noPresenter: .noPresenter
        case .noScreen: .noScreen
        case .delayed: .delayed
        case .occurrence: .occurrence
        case .inline: .inline
        }
    }
}

extension InAppReason: CustomStringConvertible {
    /// Completes a sentence that begins with "not shown:".
    public var description: String {
        switch self {
        case .anotherShown(let seconds): "another message was shown \(seconds) s ago"
        case .onScreen: "a message is on the screen"
        case .outranked(let campaign): "the message of campaign \(campaign) comes first"
        case .paused: "the app has paused in-app messages"
        case .vetoed: "the app did not want it"
        case .deferred: "the app wants it later"
        case .exhausted(let displays, let limit):
            "it was shown \(displays == 1 ? "once" : "\(displays) times"), and its limit is \(limit)"
        case .expired: "its time is over"
        case .notStarted(let until): "its time begins at \(Timestamp.text(until))"
        case .sessionCap(let number): "the session has had its \(number == 1 ? "one message" : "\(number) messages")"
        case .dayCap(let number): "the day has had its \(number == 1 ? "one message" : "\(number) messages")"
        case .notForeground: "the app is not in the foreground"
        case .recalled: "it was recalled"
        case .personChanged: "another person uses the device"
        case .edited: "it was edited, and something else triggers it now"
        case .loadFailed: "its page could not be loaded"
        case .displayFailed: "it could not be put on the screen"
        case .noPresenter: "the app has nothing that shows messages"
        case .noScreen: "the app has no screen for it at the moment"
        case .delayed(let until): "its delay ends at \(Timestamp.text(until))"
        case .occurrence(let number, let needed): "the event has happened \(number) of \(needed) times"
        case .inline: "it has its place in the app's own views"
        }
    }
}
