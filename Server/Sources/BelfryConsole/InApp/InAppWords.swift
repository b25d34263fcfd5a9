import BelfryModel
import BelfryServerModel

/// In-app messages in words: looks, actions and triggers (CON-8, CON-11).
enum InAppWords {
    static let types: [(String, String)] = InAppType.allCases.map { ($0.rawValue, words($0)) }
    static let actions: [(String, String)] = InAppActionKind.allCases.map { ($0.rawValue, words($0)) }

    static func words(_ type: InAppType) -> String {
        switch type {
        case .modal: "A card over the app"
        case .full: "The whole screen"
        case .bannerTop: "A banner at the top"
        case .bannerBottom: "A banner at the bottom"
        case .fullImage: "One image over the whole screen"
        case .inline: "Inside a page of the app"
        case .html: "A page of your own (HTML)"
        case .action: "Nothing to see, only actions"
        }
    }

    static func words(_ action: InAppActionKind) -> String {
        switch action {
        case .close: "Close the message"
        case .openUrl: "Open an address"
        case .event: "Track an event"
        case .pushSettings: "Ask for permission to send pushes"
        }
    }

    /// The actions of a message that only runs actions: `Open an address: shop://sale; Track an event: seen`.
    static func steps(_ actions: [InAppAction]) -> String {
        actions.map { action in
            let target = InAppParts.target(action)
            return target.isEmpty ? words(action.type) : "\(words(action.type)): \(target.isolated)"
        }.joined(separator: "; ")
    }

    /// The trigger of a message, in sentences.
    static func trigger(_ message: InAppDraft) -> String {
        if message.type == .inline {
            return "The app shows it in its place '\((message.viewId ?? "").isolated)'."
        }
        guard let trigger = message.trigger else { return "Nothing makes it appear." }
        let event = trigger.eventName
        let number = trigger.neededOccurrence
        let which =
            switch event {
            case "session:start":
                number == 1 ? "When the app is opened" : "When the app is opened for the \(ordinal(number)) time"
            case "screen":
                number == 1 ? "When a screen is shown" : "When a screen is shown for the \(ordinal(number)) time"
            default:
                number == 1 ? "At the event '\(event.isolated)'" : "At the \(ordinal(number)) event '\(event.isolated)'"
            }
        let filter = trigger.filter.map { " \(ConditionWords.ofEvent($0))" } ?? ""
        let delay = message.effectiveDelaySeconds
        let later = delay > 0 ? ", \(Figures.count(delay, "second", "seconds")) later" : ""
        return "\(which)\(filter)\(later)."
    }

    private static func ordinal(_ number: Int) -> String {
        let ending =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(Figures.count(number))\(ending)"
    }

    /// The display limit and the priority of a message, in sentences.
    static func limits(_ message: InAppDraft) -> String {
        guard message.type != .action else {
            return "At most \(Figures.count(message.effectiveDisplayLimit, "time", "times")) on a device."
        }
        let limit = message.effectiveDisplayLimit
        let often = "A person sees it at most \(Figures.count(limit, "time", "times")) on a device."
        guard message.type.isOverlay else { return often }
        let priority = message.effectivePriority
        return
            "\(often) Its priority is \(Figures.count(priority)): when several are due, the lowest number goes first."
    }

    /// The period in which a message is shown.
    static func times(_ message: InAppDraft, zone: AppZone) -> String {
        switch (message.startsAt, message.endsAt) {
        case (nil, nil): "From the launch until it is cancelled."
        case (let start?, nil): "From \(zone.text(start)) until it is cancelled."
        case (nil, let end?): "From the launch until \(zone.text(end))."
        case (let start?, let end?): "From \(zone.text(start)) until \(zone.text(end))."
        }
    }

    /// The same texts as facts for a campaign's page.
    static func facts(_ message: InAppDraft, zone: AppZone) -> [Fact] {
        [
            Fact("Looks", "\(words(message.type))."),
            Fact("Appears", trigger(message)),
            Fact("How often", limits(message)),
            Fact("Shown", times(message, zone: zone)),
        ]
    }
}
