import BelfryModel
import BelfryServices

/// A sentence about something that needs a person's attention, with a link to where to act (CON-4).
struct Attention: Sendable {
    /// `warning` or `bad`.
    let kind: String
    let matter: String
    let place: String?
    let placeTitle: String

    init(_ kind: String, _ matter: String, place: String? = nil, placeTitle: String = "Look at it") {
        self.kind = kind
        self.matter = matter
        self.place = place
        self.placeTitle = placeTitle
    }

    /// All such sentences, first those about what stops messages.
    ///
    /// - Parameters:
    ///   - base: the address of the app.
    ///   - mayAdminister: whether the person can open the settings.
    static func all(
        _ overview: AppOverview, zone: AppZone, base: String, mayAdminister: Bool
    ) -> [Attention] {
        credentials(overview, zone: zone, base: base, mayAdminister: mayAdminister)
            + paused(overview, base: base) + quarantined(overview)
            + overview.statistics.unusual.map { Attention("warning", UnusualDayWords.sentence($0)) }
    }

    private static func credentials(
        _ overview: AppOverview, zone: AppZone, base: String, mayAdminister: Bool
    ) -> [Attention] {
        let place = mayAdminister ? "\(base)/settings/credentials" : nil
        let who = mayAdminister ? "" : " An admin of the app can do that."
        var found: [Attention] = []
        if !overview.hasCredentials {
            found.append(
                Attention(
                    "warning", "No push service is set up: nothing can be sent. Add its credentials.\(who)",
                    place: place, placeTitle: "Set up a push service"
                )
            )
        }
        if overview.withRejectedCredentials > 0 {
            let isMore = overview.withRejectedCredentials >= AppOverview.maximumDevices
            let devices = Figures.count(overview.withRejectedCredentials, "device gets", "devices get")
            found.append(
                Attention(
                    "bad",
                    "\(isMore ? "More than " : "")\(devices) no push: the push service rejected the app's credentials. Check them.\(who)",
                    place: place, placeTitle: "Check the credentials"
                )
            )
        }
        if let since = overview.topicErrorsSince {
            found.append(
                Attention(
                    "bad",
                    "Since \(zone.text(since)) the push service says that tokens belong to another app or environment. Check topic and environment of the credentials.\(who)",
                    place: place, placeTitle: "Check the credentials"
                )
            )
        }
        return found
    }

    private static func paused(_ overview: AppOverview, base: String) -> [Attention] {
        var found = overview.paused.prefix(AppOverview.maximumEntries).map { campaign in
            Attention(
                "warning", "The campaign '\(campaign.name.isolated)' is paused. \(campaign.reason ?? "")",
                place: "\(base)/campaigns/\(campaign.id)", placeTitle: "Resume or cancel it"
            )
        }
        if overview.paused.count > found.count {
            found.append(
                Attention(
                    "warning", "Further campaigns are paused.", place: "\(base)/campaigns", placeTitle: "All campaigns")
            )
        }
        return found
    }

    private static func quarantined(_ overview: AppOverview) -> [Attention] {
        var found = overview.quarantined.prefix(AppOverview.maximumEntries).map { work in
            Attention(
                "bad",
                "Work was quarantined after \(Figures.count(work.attempts, "attempt", "attempts")) (\(work.name)): \(work.reason) An operator can retry or drop it."
            )
        }
        if overview.quarantined.count > found.count {
            found.append(Attention("bad", "More work is in quarantine."))
        }
        return found
    }
}

/// Sentences on a day with unusual figures; they say what the day was compared with (CON-11).
enum UnusualDayWords {
    static func sentence(_ unusual: UnusualDay) -> String {
        let day = DayWords.long(unusual.day)
        let usual = Figures.count(unusual.usual)
        let range = "\(Figures.count(unusual.range.lowerBound)) to \(Figures.count(unusual.range.upperBound))"
        let compared =
            "That is unlike the \(UnusualDayRule.days) days before, with \(usual) on the middle one and \(range) on most."
        return "\(day): \(count(unusual)). \(compared)"
    }

    private static func count(_ unusual: UnusualDay) -> String {
        switch unusual.measure {
        case .accepted: "\(Figures.count(unusual.count, "message was", "messages were")) accepted"
        case .opened: "\(Figures.count(unusual.count, "message was", "messages were")) opened"
        case .rejected: "\(Figures.count(unusual.count, "message was", "messages were")) rejected"
        case .optedOut: "\(Figures.count(unusual.count, "device", "devices")) fewer may get pushes than the day before"
        }
    }
}
