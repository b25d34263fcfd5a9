import BelfryModel
import BelfryServices

/// Sentences for a person who is about to launch a campaign, or to resume it before its time (CAMP-5, CON-7).
extension LaunchTime {
    /// Whether anybody gets the campaign as soon as it is launched.
    var sendsAtOnce: Bool {
        switch self {
        case .atOnce, .past, .begun: true
        case .ahead, .rejected: false
        }
    }

    /// The question before a launch; nil where the campaign cannot be launched.
    func question(zone: AppZone) -> String? {
        switch self {
        case .atOnce: "Send this campaign to its whole audience now?"
        case .ahead: "Schedule this campaign for its whole audience?"
        case .past(let at):
            "The time of this campaign, \(zone.text(at)), is past. Send it to its whole audience now?"
        case .begun(let local):
            """
            In some time zones \(AppZone.text(local)) is past: people there get this campaign now, everybody else when \
            their own clock shows that time. Launch it for its whole audience?
            """
        case .rejected: nil
        }
    }

    /// The question before a resume; nil where the campaign then waits for its time, and so nothing is sent yet.
    func resumeQuestion(zone: AppZone) -> String? {
        switch self {
        case .atOnce: "Resume this campaign, and send it to its whole audience now?"
        case .past(let at):
            """
            The time of this campaign, \(zone.text(at)), is past. Resume it, and send it to its whole audience now?
            """
        case .begun(let local):
            """
            In some time zones \(AppZone.text(local)) is past: people there get this campaign now, everybody else when \
            their own clock shows that time. Resume it for its whole audience?
            """
        case .ahead, .rejected: nil
        }
    }

    /// A remark on the time before a launch; nil when the campaign begins at the time that was chosen.
    func remark(zone: AppZone) -> String? {
        switch self {
        case .atOnce, .ahead: nil
        case .past(let at): "Its time, \(zone.text(at)), is past: launched now, it is sent at once."
        case .begun(let local):
            """
            Its time, \(AppZone.text(local)) by each person's own clock, is past in some time zones: launched now, \
            people there get it at once.
            """
        case .rejected(let message, _): "\(message) Edit its times, then it can be launched."
        }
    }

    /// A remark before a resume: when the campaign begins, and whom it reaches at once.
    func resumeRemark(zone: AppZone) -> String {
        switch self {
        case .atOnce: "Resumed now, it is sent to its whole audience at once."
        case .ahead(let date): "Resumed now, it begins at \(zone.text(date))."
        case .past(let at):
            "Its time, \(zone.text(at)), is past: resumed now, it is sent to its whole audience at once."
        case .begun(let local):
            """
            Its time, \(AppZone.text(local)) by each person's own clock, is past in some time zones: resumed now, \
            people there get it at once, everybody else when their own clock shows that time.
            """
        case .rejected(let message, let fields):
            """
            \(message) It can no longer be resumed: cancel it, or launch a copy of it with \
            \(fields.map(Self.replacement).joined(separator: " and ")).
            """
        }
    }

    /// Names the field that a copy of the campaign must change, because its time has passed.
    private static func replacement(for field: String) -> String {
        switch field {
        case "schedule.expiresAt": "another expiry"
        case "messageCenter.expiresAt": "another expiry of its message"
        case "inApp.endsAt": "another end"
        default: "another time"
        }
    }

    /// The word for this case in a form, by which the form says what its page showed.
    var formWord: String {
        switch self {
        case .atOnce: "atOnce"
        case .ahead: "ahead"
        case .past: "past"
        case .begun: "begun"
        case .rejected: "refused"
        }
    }

    /// Throws a conflict if the campaign's time has come since the page was shown. A campaign that a person wanted to
    /// schedule must not be sent at once without their knowledge.
    ///
    /// - Parameter word: the word in the page's form; empty where the page said nothing about the time.
    func require(shown word: String, before step: CampaignStep, zone: AppZone) throws(ServiceError) {
        guard !word.isEmpty, !word.utf8.elementsEqual(formWord.utf8) else { return }
        let what = step == .resume ? "resumed" : "launched"
        // For a paused campaign the page itself says what a resume does now.
        let now = step == .resume ? "" : remark(zone: zone).map { " \($0)" } ?? ""
        throw .conflict(message: "Nothing was \(what): its time has come since you opened this page.\(now)")
    }
}
