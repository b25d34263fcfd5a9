import Belfry
import BelfryModel
import BelfryRules
import Foundation

extension PhoneSystem.Reception {
    /// A sentence on what happened to a push.
    var sentence: String {
        switch self {
        case .held(let replacing):
            "APNs keeps the push until the phone has a network."
                + (replacing ? " It replaces the one that was kept: APNs keeps one for each app." : "")
        case .expired: "The push has expired before the phone had a network, and is not delivered."
        case .ignored: "A push without a readable payload has come; the system ignores it."
        case .forApp(let notification):
            "\(notification.name) has come while the app is shown: the app decides whether it is."
        case .shown(let notification, let replaced, let wakes):
            "\(notification.name) is on the lock screen"
                + (replaced ? "; it replaces the one with the same collapse id" : "")
                + (wakes ? ", and the app gets a moment to run." : ".")
        case .woke: "A silent push gives the app a moment to run."
        case .notWoken(_, .killed): "A silent push wakes no app that the person has killed."
        case .notWoken(_, .notRunning): "A silent push has come, and the app was not opened since the phone's start."
        case .notWoken(_, .budget):
            "The system does not wake the app: it had its \(PhoneSystem.silentPushesPerHour) silent pushes this hour."
        case .notAllowed(let notification):
            "\(notification.name) has come, and the system shows nothing: the person does not allow notifications."
        }
    }
}

extension PhoneNotification {
    /// The push's name for the beginning of a sentence.
    fileprivate var name: String { title.map { "The push “\($0.prefix(60))”" } ?? "A push" }
}

extension ClientReport {
    /// The report as a sentence.
    var sentence: String {
        switch self {
        case .registrationRefused(let failure): "The server rejected the registration. \(failure.sentence)"
        case .attributesRejected(let fields): fields.map(\.sentence).joined(separator: " ")
        case .editRefused(let error): "A setter refused its value: \(ErrorSentence.whole(error.message))"
        case .linkRefused(let failure): "The server refused the link. \(failure.sentence)"
        case .pushTokenRefused(let failure): "The server refused the push token. \(failure.sentence)"
        case .pushRegistrationFailed: "The system gave no push token; the SDK asks again."
        case .propertiesRefused(let failure): "The server refused the device's properties. \(failure.sentence)"
        case .eventsRefused(let failure): "The server rejects the events; they stay in the queue. \(failure.sentence)"
        case .eventsSetAside(let count, let reason):
            (count == 1 ? "One event became a dead letter. " : "\(count) events became dead letters. ")
                + (reason == EventOwners.orphanReason
                    ? "The contact is no longer known (ID-7)." : ErrorSentence.whole(reason))
        case .eventsDropped(let count, let reason):
            (count == 1 ? "One event was dropped: the queue " : "\(count) events were dropped: the queue ")
                + (reason == .queueFull ? "is full." : count == 1 ? "had it for too long." : "had them for too long.")
        case .pushDropped(.formerContact): "The SDK dropped a push: it was for a person who used the app before (ID-4)."
        case .pushDropped(.resting): "The SDK dropped a push: it is suspended."
        case .inAppLinkRefused: "The SDK does not open an address of a message: its scheme is not allowed."
        case .openIDTokenNeeded: "The SDK needs the person's OpenID token again."
        case .erased: "The server has erased the person: the SDK has removed everything and is suspended (REG-36)."
        case .storageFailed(let error), .callFailed(let error): ErrorSentence.text(of: error)
        }
    }
}

extension CallFailure {
    /// A sentence on the server's error, or on a missing response.
    var sentence: String {
        guard let status else {
            let isSilence = message.utf8.starts(with: "No response".utf8)
            return isSilence ? "There was no response." : ErrorSentence.whole(message)
        }
        let plain = "The server responded with status \(status)."
        return message == plain ? plain : "\(plain) It said: \(ErrorSentence.whole(message))"
    }
}

extension RejectedField {
    var sentence: String { "The server did not apply \(field): \(ErrorSentence.whole(message))" }
}

extension MessageCenterUpdate {
    var sentence: String {
        let new = centers.isEmpty ? nil : "There are new messages in \(centers.joined(separator: ", "))."
        let changed = Self.counted(changedMessages.count, "One message has changed.", "messages have changed.")
        let removed = Self.counted(removedMessages.count, "One message is gone.", "messages are gone.")
        let sentences = [new, changed, removed].compactMap(\.self)
        return sentences.isEmpty ? "A message center has changed." : sentences.joined(separator: " ")
    }

    private static func counted(_ number: Int, _ one: String, _ many: String) -> String? {
        switch number {
        case 0: nil
        case 1: one
        default: "\(number) \(many)"
        }
    }
}

/// A sentence on why a registration waits, or why none is needed.
struct RegistrationSentence {
    let state: ClientState.Registration
    /// The subject such as "The edit of city"; nil when the changed parts are unknown.
    let subject: String?
    let now: Date

    var text: String {
        let wait = state.nextAttemptAt.map { max(0, Int($0.timeIntervalSince(now).rounded(.up))) } ?? 0
        switch state.reason {
        case "throttled": return waits("\(wait) s: one registration a minute (REG-4).")
        case "collectingEdits": return waits("\(wait) s: more edits may follow, and go with it (REG-4).")
        case "backingOff": return waits("\(wait) s: the last attempt failed (REG-6).")
        case "refused": return "The server rejected this record. An edit, or a day, ends the wait (REG-6)."
        case "first": return "The first registration is under way (REG-2)."
        case "changed", "retry":
            return subject.map { "\($0) \(isOne ? "is" : "are") under way." } ?? "The change is under way."
        case "nothingChanged": return "The server has accepted the record as it is (REG-3)."
        case "backgroundWake": return "Nothing is sent: the system woke the app, and nobody sees it (REG-3)."
        case "offline": return waits("for the network.")
        case "waitingForContactKey": return "The app wants no registration before somebody logs in (REG-12)."
        case "waitingForContact": return "The device has no contact yet: the link comes first."
        case "resting": return "The SDK is suspended (REG-36)."
        default: return state.isPending ? "A change waits." : "There is nothing to send."
        }
    }

    private var isOne: Bool { subject?.hasPrefix("The edits") != true }

    private func waits(_ how: String) -> String {
        "\(subject ?? "The change") \(isOne ? "waits" : "wait") \(how)"
    }
}

extension Duration {
    init(_ seconds: TimeInterval) {
        self = .seconds(seconds.magnitude)
    }

    /// The duration in the largest fitting unit: "3 h", "1 day".
    var words: String {
        let seconds = Int(components.seconds)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        case ..<172_800: "1 day"
        default: "\(seconds / 86_400) days"
        }
    }
}
