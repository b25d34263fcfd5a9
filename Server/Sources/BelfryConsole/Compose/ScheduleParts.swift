import BelfryModel
import BelfryServerModel

/// The form fields for when and how fast a campaign is sent (CAMP-5).
enum ScheduleParts {
    static let all: [ComposePart] = [time, quietHours, cap, expiry, rate]

    /// The start of an in-app campaign: one moment for all devices.
    static let start = ComposePart(["at"], api: [("schedule.at", "at")]) { draft, basis in
        ["at": [draft.schedule?.at.map(basis.zone.field) ?? ""]]
    } write: { fields, draft, basis, problems in
        let text = fields["at"]
        let date = basis.zone.date(text)
        if date == nil, !text.showsNothing { problems.add("at", "Choose a day and a time, or leave it empty.") }
        change(&draft) { $0.at = date }
    }

    private static let time = ComposePart(
        ["when", "at"], api: [("schedule.at", "at"), ("schedule.localAt", "at")]
    ) { draft, basis in
        let shown = shownTime(draft.schedule, basis.zone)
        return ["when": [shown.when], "at": [shown.text]]
    } write: { fields, draft, basis, problems in
        let text = fields["at"]
        let (at, local) =
            fields["when"] == "at"
            ? (basis.zone.date(text), nil) : (nil, fields["when"] == "local" ? LocalDateTime(text) : nil)
        if ["at", "local"].contains(fields["when"]) {
            if at == nil, local == nil { problems.add("at", "Choose a day and a time.") }
        } else if ComposePart.isTyped(text, "at", over: shownTime(draft.schedule, basis.zone).text) {
            problems.add(
                "at", "You typed a time. Choose 'At a time in \(basis.zone.name)' above, or empty this field."
            )
        }
        change(&draft) { schedule in
            schedule.at = at
            schedule.localAt = local
        }
    }

    /// The choice and the time that the form shows for a schedule.
    private static func shownTime(_ schedule: CampaignSchedule?, _ zone: AppZone) -> (when: String, text: String) {
        if let date = schedule?.at { return ("at", zone.field(date)) }
        if let time = schedule?.localAt { return ("local", AppZone.field(time)) }
        return ("now", "")
    }

    private static let quietHours = ComposePart(
        ["quiet", "quietFrom", "quietTo", "quietThen"], api: [("schedule.quietHours", "quietTo")]
    ) { draft, _ in
        shownHours(draft.schedule?.quietHours)
    } write: { fields, draft, _, problems in
        var quiet: QuietHours?
        if fields.contains("quiet") {
            quiet = read(fields, &problems)
        } else {
            rejectUnticked(fields, over: draft.schedule?.quietHours, &problems)
        }
        change(&draft) { $0.quietHours = quiet }
    }

    /// The values that the form shows for quiet hours; without quiet hours, the hours that it suggests.
    private static func shownHours(_ quiet: QuietHours?) -> ComposePart.Values {
        [
            "quiet": quiet == nil ? [] : ["yes"], "quietFrom": [quiet?.from.description ?? "22:00"],
            "quietTo": [quiet?.to.description ?? "08:00"], "quietThen": [(quiet?.then ?? .delay).rawValue],
        ]
    }

    /// Adds an error if quiet hours were changed but the box is not ticked: the change would be lost. Unchanged
    /// suggestions need no error.
    private static func rejectUnticked(
        _ fields: FormFields, over quiet: QuietHours?, _ problems: inout FormProblems
    ) {
        let shown = FormFields(shownHours(quiet))
        for name in ["quietFrom", "quietTo", "quietThen"] {
            guard ComposePart.isTyped(fields[name], name, over: shown[name]) else { continue }
            let way = name == "quietThen" ? "choose here what was chosen before" : "set this back to \(shown[name])"
            problems.add(name, "You changed the quiet hours. Tick 'Respect quiet hours' above, or \(way).")
        }
    }

    private static func read(_ fields: FormFields, _ problems: inout FormProblems) -> QuietHours? {
        guard let from = TimeOfDay(fields["quietFrom"]) else {
            problems.add("quietFrom", "Write a time such as 22:00.")
            return nil
        }
        guard let to = TimeOfDay(fields["quietTo"]) else {
            problems.add("quietTo", "Write a time such as 08:00.")
            return nil
        }
        return QuietHours(from: from, to: to, then: QuietHours.Consequence(rawValue: fields["quietThen"]) ?? .delay)
    }

    private static let cap = ComposePart(
        ["capCount", "capWithin", "capUnit"],
        api: [("schedule.frequencyCap.within", "capWithin"), ("schedule.frequencyCap", "capCount")]
    ) { draft, _ in
        guard let cap = draft.schedule?.frequencyCap else {
            return ["capCount": [""], "capWithin": [""], "capUnit": ["D"]]
        }
        let (number, unit) = shown(cap.within)
        return ["capCount": [String(cap.count)], "capWithin": [String(number)], "capUnit": [unit]]
    } write: { fields, draft, _, problems in
        let cap = readCap(fields, of: draft.schedule?.frequencyCap, &problems)
        change(&draft) { $0.frequencyCap = cap }
    }

    /// The duration in the largest unit that gives a whole number.
    private static func shown(_ duration: ISODuration) -> (Int, unit: String) {
        let minutes = Int(duration.seconds) / 60
        if minutes % 1_440 == 0 { return (minutes / 1_440, "D") }
        return minutes % 60 == 0 ? (minutes / 60, "H") : (minutes, "M")
    }

    private static func readCap(
        _ fields: FormFields, of base: FrequencyCap?, _ problems: inout FormProblems
    ) -> FrequencyCap? {
        if fields["capCount"].showsNothing, fields["capWithin"].showsNothing { return nil }
        guard let count: Int = WholeNumber.read(fields["capCount"]) else {
            problems.add("capCount", "Write how many pushes at most, such as 3. Leave both empty for no cap.")
            return nil
        }
        // A duration can be written in several ways: an unchanged one keeps its spelling.
        if let base {
            let (number, unit) = shown(base.within)
            if fields["capWithin"] == String(number), fields["capUnit"] == unit {
                return FrequencyCap(count: count, within: base.within)
            }
        }
        let number: Int? = WholeNumber.read(fields["capWithin"])
        let text = number.map { fields["capUnit"] == "D" ? "P\($0)D" : "PT\($0)\(fields["capUnit"])" }
        guard let within = text.flatMap({ try? ISODuration($0) }) else {
            problems.add("capWithin", "Write a whole number such as 7: from a minute to ten years.")
            return nil
        }
        return FrequencyCap(count: count, within: within)
    }

    private static let expiry = ComposePart(
        ["expires"], api: [("schedule.expiresAt", "expires")]
    ) { draft, basis in
        ["expires": [draft.schedule?.expiresAt.map(basis.zone.field) ?? ""]]
    } write: { fields, draft, basis, problems in
        let date = basis.zone.date(fields["expires"])
        if date == nil, !fields["expires"].showsNothing {
            problems.add("expires", "Choose a day and a time, or leave it empty.")
        }
        change(&draft) { $0.expiresAt = date }
    }

    private static let rate = ComposePart(["rate"], api: [("schedule.ratePerSecond", "rate")]) { draft, _ in
        ["rate": [draft.schedule?.ratePerSecond.map(String.init) ?? ""]]
    } write: { fields, draft, _, problems in
        let rate: Int? = WholeNumber.read(fields["rate"])
        if rate == nil, !fields["rate"].showsNothing {
            problems.add("rate", "Write a whole number such as 500, or nothing.")
        }
        change(&draft) { $0.ratePerSecond = rate }
    }

    /// Changes the draft's schedule. An empty schedule becomes nil.
    private static func change(_ draft: inout CampaignDraft, _ change: (inout CampaignSchedule) -> Void) {
        var schedule = draft.schedule ?? CampaignSchedule()
        change(&schedule)
        draft.schedule = schedule == CampaignSchedule() ? nil : schedule
    }
}
