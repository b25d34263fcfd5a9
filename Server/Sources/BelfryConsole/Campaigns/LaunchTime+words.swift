import BelfryModel
import BelfryServices

/// What a person is told before a launch, or a resume before it (CAMP-5, CON-7).
extension LaunchTime {
    /// Whether anybody gets it as soon as it is launched.
    var sendsAtOnce: Bool {
        switch self {
        case .atOnce, .past, .begun: true
        case .ahead, .refused: false
        }
    }

    /// What is asked before the launch; nil where nothing can be launched.
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
        case .refused: nil
        }
    }

    /// What is asked before a resume: where it waits for its time again, nothing is sent by it, and nothing asked.
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
        case .ahead, .refused: nil
        }
    }

    /// What whoever is about to launch has to know of the time; nil when it is as it was chosen.
    func remark(zone: AppZone) -> String? {
        switch self {
        case .atOnce, .ahead: nil
        case .past(let at): "Its time, \(zone.text(at)), is past: launched now, it is sent at once."
        case .begun(let local):
            """
            Its time, \(AppZone.text(local)) by each person's own clock, is past in some time zones: launched now, \
            people there get it at once.
            """
        case .refused(let message, _): "\(message) Edit its times, then it can be launched."
        }
    }

    /// What whoever is about to resume has to know: when it begins, and whom it reaches at once.
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
        case .refused(let message, let fields):
            """
            \(message) It can no longer be resumed: cancel it, or launch a copy of it with \
            \(fields.map(Self.replacement).joined(separator: " and ")).
            """
        }
    }

    /// What a copy needs instead of a field whose time has passed.
    private static func replacement(for field: String) -> String {
        switch field {
        case "schedule.expiresAt": "another expiry"
        case "messageCenter.expiresAt": "another expiry of its message"
        case "inApp.endsAt": "another end"
        default: "another time"
        }
    }

    /// Which of them a page has told: its form says so.
    var told: String {
        switch self {
        case .atOnce: "atOnce"
        case .ahead: "ahead"
        case .past: "past"
        case .begun: "begun"
        case .refused: "refused"
        }
    }

    /// Throws when the time has come since a page told what a launch or a resume does: what somebody wanted to schedule
    /// is not sent at once without their knowledge.
    ///
    /// - Parameter told: what the page's form says; empty where nothing was told.
    func require(told: String, before step: CampaignStep, zone: AppZone) throws(ServiceError) {
        guard !told.isEmpty, !told.utf8.elementsEqual(self.told.utf8) else { return }
        let what = step == .resume ? "resumed" : "launched"
        // The page of a paused campaign says by itself what a resume does now.
        let now = step == .resume ? "" : remark(zone: zone).map { " \($0)" } ?? ""
        throw .conflict(message: "Nothing was \(what): its time has come since you opened this page.\(now)")
    }
}
