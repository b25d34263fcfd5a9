import BelfryModel
import Foundation

extension CampaignCheck {
    /// What devices show by themselves (IAM-1, IAM-12).
    mutating func checkInApp() {
        guard draft.kind.isInApp else {
            require(
                draft.inApp == nil, "inApp", "notInApp",
                "A campaign of kind '\(draft.kind.rawValue)' has no in-app message; 'inApp' does."
            )
            return
        }
        require(
            draft.push == nil, "push", "notPushed",
            "A campaign of kind 'inApp' sends no notification: devices are told silently that there is something new."
        )
        checkInAppSchedule(draft.schedule ?? CampaignSchedule())
        guard let message = draft.inApp else {
            refuse("inApp", "missing", "A campaign of kind 'inApp' needs its message under 'inApp'.")
            return
        }
        checkTrigger(of: message)
        checkNumbers(of: message)
        checkDates(of: message)
        checkContent(of: message)
        checkDefaults(message.defaults ?? [:], "inApp.defaults")
        checkInAppVariants(message)
        checkInAppTemplates(message)
    }

    /// What makes it show: an event, or the app that asks for its view.
    private mutating func checkTrigger(of message: InAppDraft) {
        guard message.type != .inline else { return checkInline(message) }
        require(
            message.viewId == nil, "inApp.viewId", "notInline",
            "Only a message of type 'inline' has a view: this one is '\(message.type.rawValue)'."
        )
        guard let trigger = message.trigger else {
            refuse(
                "inApp.trigger", "missing",
                #"A message needs the event that triggers it, as {"event":"session:start"}."#
            )
            return
        }
        for fault in trigger.faults {
            refuse(fault.path.isEmpty ? "inApp.trigger" : "inApp.trigger.\(fault.path)", fault.refusal)
        }
    }

    private mutating func checkInline(_ message: InAppDraft) {
        require(
            message.trigger == nil, "inApp.trigger", "notTriggered",
            "An inline message has no trigger: the app asks for it by its view."
        )
        require(
            message.delaySeconds ?? 0 == 0, "inApp.delaySeconds", "notTriggered",
            "An inline message is not delayed: the app asks for it by its view."
        )
        let longest = InAppLimits.maximumViewIDLength
        guard let view = message.viewId else {
            return refuse("inApp.viewId", "missing", "An inline message needs the id of the view that it is for.")
        }
        require(
            !view.showsNothing && view.isNamed(within: longest), "inApp.viewId", "invalidLength",
            "A view's id has 1 to \(longest) characters, is not blank and has no null character."
        )
    }

    private mutating func checkNumbers(of message: InAppDraft) {
        require(
            (0...InAppLimits.maximumPriority).contains(message.effectivePriority), "inApp.priority", "outOfRange",
            "A priority is 0 to \(InAppLimits.maximumPriority), and the lowest goes first."
        )
        require(
            (1...InAppLimits.maximumDisplayLimit).contains(message.effectiveDisplayLimit), "inApp.displayLimit",
            "outOfRange", "A message is shown 1 to \(InAppLimits.maximumDisplayLimit) times."
        )
        require(
            (0...InAppLimits.maximumDelaySeconds).contains(message.effectiveDelaySeconds), "inApp.delaySeconds",
            "outOfRange", "A delay is 0 to \(InAppLimits.maximumDelaySeconds) seconds."
        )
    }

    /// Whether its end has passed, the launch asks.
    private mutating func checkDates(of message: InAppDraft) {
        guard let end = message.endsAt else { return }
        if let start = message.startsAt {
            require(end > start, "inApp.endsAt", "outOfRange", "A message ends after it starts.")
        }
        if let launch = draft.schedule?.at {
            require(end > launch, "inApp.endsAt", "outOfRange", "A message ends after its campaign begins.")
        }
    }

    /// An in-app campaign begins at one moment; all that follows is the devices' affair.
    private mutating func checkInAppSchedule(_ schedule: CampaignSchedule) {
        let fields: [(name: String, isSaid: Bool, advice: String)] = [
            ("localAt", schedule.localAt != nil, "it begins for all at once: 'at'"),
            ("quietHours", schedule.quietHours != nil, "it shows while somebody uses the app"),
            ("frequencyCap", schedule.frequencyCap != nil, "'displayLimit' says how often it shows"),
            ("expiresAt", schedule.expiresAt != nil, "its end is 'inApp.endsAt'"),
            ("ratePerSecond", schedule.ratePerSecond != nil, "devices fetch it when they ask"),
        ]
        for field in fields where field.isSaid {
            refuse(
                "schedule.\(field.name)", "notInApp",
                "An in-app campaign has no '\(field.name)': \(field.advice)."
            )
        }
    }
}
