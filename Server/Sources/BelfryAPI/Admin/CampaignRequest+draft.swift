import BelfryModel
import BelfryWire

extension CampaignRequest {
    /// The draft with its moments.
    ///
    /// - Parameter zone: the app's, in which dates without an offset are.
    func draft(inZoneNamed zone: String) throws(APIError) -> CampaignDraft {
        var dates = ZonedDates(zoneNamed: zone)
        let message = messageCenter?.resolved(by: &dates)
        let inApp = inApp?.resolved(by: &dates)
        let schedule = schedule?.resolved(by: &dates)
        try dates.check()
        return CampaignDraft(
            name: name, kind: kind, audience: audience, push: push, messageCenter: message, inApp: inApp,
            schedule: schedule
        )
    }
}

extension MessageCenterContentRequest {
    fileprivate func resolved(by dates: inout ZonedDates) -> MessageCenterContent {
        MessageCenterContent(
            center: center, subject: subject ?? "", message: message ?? "", iconUrl: iconUrl, deeplinkUrl: deeplinkUrl,
            richUrl: richUrl, richHtml: richHtml, expiresAt: dates.date(expiresAt, "messageCenter.expiresAt"),
            badge: badge, custom: custom, variants: variants, defaults: defaults
        )
    }
}

extension InAppContentRequest {
    fileprivate func resolved(by dates: inout ZonedDates) -> InAppDraft {
        InAppDraft(
            type: type, priority: priority, trigger: trigger, viewId: viewId,
            startsAt: dates.date(startsAt, "inApp.startsAt"), endsAt: dates.date(endsAt, "inApp.endsAt"),
            displayLimit: displayLimit, delaySeconds: delaySeconds, content: content, variants: variants,
            defaults: defaults
        )
    }
}

extension CampaignScheduleRequest {
    fileprivate func resolved(by dates: inout ZonedDates) -> CampaignSchedule {
        CampaignSchedule(
            at: dates.date(at, "schedule.at"), localAt: localAt, quietHours: quietHours, frequencyCap: frequencyCap,
            expiresAt: dates.date(expiresAt, "schedule.expiresAt"), ratePerSecond: ratePerSecond
        )
    }
}
