import BelfryModel
import BelfryServerModel
import Foundation

/// A push as the form has it: texts as they were typed, also those that are no draft yet.
struct ComposeForm: Hashable, Sendable {
    enum When: String, Sendable {
        case now
        /// At one moment, by the clocks of the app's zone.
        case at
        /// At a time of each person's own clock.
        case local
    }

    var name: String
    var title: String
    var body: String
    var link: String
    var image: String
    /// Empty, or one of `BadgeChange.Operation`.
    var badge: String
    var badgeValue: String
    var audience: AudienceForm
    var when: When
    var at: String
    var isQuiet: Bool
    var quietFrom: String
    var quietTo: String
    var quietThen: String

    init(_ fields: FormFields) {
        name = fields["name"]
        title = fields["title"]
        body = fields["body"]
        link = fields["link"]
        image = fields["image"]
        badge = fields["badge"]
        badgeValue = fields["badgeValue"]
        audience = AudienceForm(fields)
        when = When(rawValue: fields["when"]) ?? .now
        at = fields["at"]
        isQuiet = fields.contains("quiet")
        quietFrom = fields["quietFrom"]
        quietTo = fields["quietTo"]
        quietThen = fields["quietThen"]
    }

    /// What the form shows of a draft; of none, an empty one.
    init(_ draft: CampaignDraft?, zone: AppZone) {
        let push = draft?.push
        name = draft?.name ?? ""
        title = push?.title ?? ""
        body = push?.body ?? ""
        link = push?.action?.type == .openUrl ? push?.action?.url ?? "" : ""
        image = push?.imageUrl ?? ""
        badge = push?.badge?.op.rawValue ?? ""
        badgeValue = push?.badge?.value.map(String.init) ?? ""
        audience = AudienceForm(draft?.audience ?? .everyone)
        let schedule = draft?.schedule
        if let date = schedule?.at {
            (when, at) = (.at, zone.field(date))
        } else if let time = schedule?.localAt {
            (when, at) = (.local, AppZone.field(time))
        } else {
            (when, at) = (.now, "")
        }
        isQuiet = schedule?.quietHours != nil
        quietFrom = schedule?.quietHours?.from.description ?? "22:00"
        quietTo = schedule?.quietHours?.to.description ?? "08:00"
        quietThen = (schedule?.quietHours?.then ?? .delay).rawValue
    }

    /// The draft that it makes, or what is wrong with each field. What the form does not show stays as it was.
    ///
    /// - Parameter base: the draft that is edited; nil for a new one.
    func draft(
        over base: CampaignDraft?, schema: [String: AttributeType], zone: AppZone
    ) throws(ComposeProblems) -> CampaignDraft {
        var problems = ComposeProblems()
        var draft = base ?? CampaignDraft(name: name, kind: .push, audience: .everyone)
        draft.name = name
        draft.push = push(over: base?.push, &problems)
        draft.schedule = schedule(over: base?.schedule, zone: zone, &problems)
        do throws(ComposeProblems) {
            draft.audience = try audience.condition(schema: schema)
        } catch {
            problems.add(error)
        }
        try problems.refuse()
        return draft
    }

    /// What it says, whatever is wrong with it: for the preview.
    func push(over base: PushContent?, _ problems: inout ComposeProblems) -> PushContent {
        var push = base ?? PushContent(title: "", body: "")
        push.title = title
        push.body = body
        push.imageUrl = image.showsNothing ? nil : image
        if !link.showsNothing {
            push.action = NotificationAction(type: .openUrl, url: link)
        } else if push.action?.type == .openUrl {
            push.action = nil
        }
        push.badge = badgeChange(&problems)
        return push
    }

    private func badgeChange(_ problems: inout ComposeProblems) -> BadgeChange? {
        guard let op = BadgeChange.Operation(rawValue: badge) else { return nil }
        guard op != .clear, !badgeValue.showsNothing else { return BadgeChange(op: op) }
        guard let value: Int = WholeNumber.read(badgeValue) else {
            problems.add("badgeValue", "Write a whole number such as 1.")
            return BadgeChange(op: op)
        }
        return BadgeChange(op: op, value: value)
    }

    private func schedule(
        over base: CampaignSchedule?, zone: AppZone, _ problems: inout ComposeProblems
    ) -> CampaignSchedule? {
        var schedule = base ?? CampaignSchedule()
        (schedule.at, schedule.localAt) = (nil, nil)
        switch when {
        case .now: break
        case .at:
            schedule.at = zone.date(at)
            if schedule.at == nil { problems.add("at", "Choose a day and a time.") }
        case .local:
            schedule.localAt = LocalDateTime(at)
            if schedule.localAt == nil { problems.add("at", "Choose a day and a time.") }
        }
        schedule.quietHours = quietHours(&problems)
        return schedule == CampaignSchedule() ? nil : schedule
    }

    private func quietHours(_ problems: inout ComposeProblems) -> QuietHours? {
        guard isQuiet else { return nil }
        guard let from = TimeOfDay(quietFrom) else {
            problems.add("quietFrom", "Write a time such as 22:00.")
            return nil
        }
        guard let to = TimeOfDay(quietTo) else {
            problems.add("quietTo", "Write a time such as 08:00.")
            return nil
        }
        return QuietHours(from: from, to: to, then: QuietHours.Consequence(rawValue: quietThen) ?? .delay)
    }
}
