import Belfry
import BelfryModel
import Foundation

/// Sentences on the limits for triggered in-app messages: the app's gap and caps, and the message's own limits (IAM-6,
/// IAM-8).
enum InAppTerms {
    /// The limits for all messages of the app.
    static func lines(of options: InAppOptions) -> [String] {
        [gap(options), caps(options)]
    }

    private static func gap(_ options: InAppOptions) -> String {
        guard options.minimumGap > 0 else { return "One may follow the other at once: the app wants no gap (IAM-6)." }
        return "From the end of one to the next there is a gap of at least \(words(options.minimumGap)) (IAM-6)."
    }

    private static func caps(_ options: InAppOptions) -> String {
        let session = options.maximumPerSession.map { "\($0) in a session" }
        let day = options.maximumPerDay.map { "\($0) on a day" }
        let caps = [session, day].compactMap(\.self)
        guard !caps.isEmpty else { return "There is no cap: any number is shown in a session and on a day (IAM-6)." }
        return "At most \(caps.joined(separator: " and ")) (IAM-6)."
    }

    /// The limits of one message, besides its trigger.
    static func lines(of message: InAppMessage) -> [String] {
        let limit = message.displayLimit
        let often = limit == 1 ? "once" : "\(limit) times"
        let cap = message.type == .action ? "It runs at most \(often)" : "A person sees it at most \(often)"
        let start = message.startsAt.map { "It is not shown before \(Timestamp.text($0))." }
        let end = message.endsAt.map { "It ends at \(Timestamp.text($0))." }
        let delay: String? = message.delay > 0 ? "It comes \(words(message.delay)) after its trigger." : nil
        let exempt: String? = message.type.isOverlay ? nil : "Gap and caps do not apply to it."
        return [start, end, delay, "\(cap) on this phone (IAM-8).", exempt].compactMap(\.self)
    }

    /// The exact duration in its largest unit: 90 s stay 90 s and do not become 1 min.
    private static func words(_ seconds: TimeInterval) -> String {
        let (number, unit): (TimeInterval, String) =
            switch seconds {
            case 3_600... where seconds.truncatingRemainder(dividingBy: 3_600) == 0: (seconds / 3_600, "h")
            case 60... where seconds.truncatingRemainder(dividingBy: 60) == 0: (seconds / 60, "min")
            default: (seconds, "s")
            }
        return "\(AttributeValue.number(number).textRead) \(unit)"
    }
}
