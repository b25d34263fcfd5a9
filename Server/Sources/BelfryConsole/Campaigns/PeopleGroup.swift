import BelfryModel
import BelfryServerModel
import BelfryServices

/// A group of a campaign's devices: those in a state, with a reason, or with a later event such as opened.
struct PeopleGroup: Hashable, Sendable {
    let state: DeliveryState?
    let reason: String?
    let engagement: Engagement?

    init(state: DeliveryState? = nil, reason: String? = nil, engagement: Engagement? = nil) {
        self.state = state
        self.reason = reason
        self.engagement = engagement
    }

    /// Reads the group from a query. A word that is unknown is ignored.
    init(_ query: FormFields) {
        state = DeliveryState(rawValue: query["state"])
        reason = query["reason"].isEmpty ? nil : String(query["reason"].prefix(100))
        engagement = Engagement(rawValue: query["engagement"])
    }

    var filter: RecipientQueries.Filter {
        RecipientQueries.Filter(
            state: state, reason: reason.map(DeliveryReason.init(rawValue:)), engagement: engagement
        )
    }

    /// The query of the group's page; empty for everybody.
    var query: String {
        var parts: [String] = []
        if let state { parts.append("state=\(state.rawValue)") }
        if let reason { parts.append("reason=\(WireURL.encoded(reason))") }
        if let engagement { parts.append("engagement=\(engagement.rawValue)") }
        return parts.joined(separator: "&")
    }

    /// The address of the group's page.
    ///
    /// - Parameter page: the address of the campaign.
    func address(below page: String) -> String {
        query.isEmpty ? "\(page)/people" : "\(page)/people?\(query)"
    }

    /// The group in a sentence.
    var sentence: String {
        switch (engagement, state) {
        case (.opened?, _): return "Devices on which the message was opened."
        case (.displayed?, _): return "Devices on which the message was displayed."
        case (.received?, _): return "Devices that received the message."
        case (.dismissed?, _): return "Devices on which the message was dismissed."
        case (nil, nil): return "All devices of the audience."
        case (nil, let state?):
            let reason = reason.map(DeliveryReason.init(rawValue:))
            // Without a reason, the page lists the devices of all reasons.
            if reason == nil, [.suppressed, .rejected].contains(state) {
                return state == .suppressed
                    ? "Devices to which nothing was sent." : "Devices whose message the push service rejected."
            }
            return LossWords.sentence(DeliveryOutcome(state: state, reason: reason, count: 1))
        }
    }
}
