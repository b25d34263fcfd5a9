import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore

/// What an event of the SDK's own says about a push or a message: read before the write, in which all others wait (SEC-9).
struct EventNotes: Hashable, Sendable {
    /// About a push, which is this very device's.
    let push: PushNote?
    let inApp: InAppReport?
    /// About a message of a center, of whomever.
    let center: MessageCenterNote?

    /// Nil for an event that says nothing of the kind, as most do.
    init?(_ event: IncomingEvent, client: DeviceID) {
        guard event.kind == .internal else { return nil }
        push = PushNote(event, client: client)
        inApp = InAppReport(event, client: client)
        center = MessageCenterNote(event)
        if push == nil, inApp == nil, center == nil { return nil }
    }

    /// Those of a batch, by the places of their events.
    static func all(of events: [IncomingEvent], client: DeviceID) -> [Int: EventNotes] {
        var notes: [Int: EventNotes] = [:]
        for (place, event) in events.enumerated() {
            if let note = EventNotes(event, client: client) { notes[place] = note }
        }
        return notes
    }
}

/// What happened to a push of a campaign (LED-1).
struct PushNote: Hashable, Sendable {
    let engagement: Engagement
    let campaign: CampaignID

    /// The message id names its campaign; it must be the one of this very device.
    init?(_ event: IncomingEvent, client: DeviceID) {
        guard let engagement = Engagement(event), let sid = event.sid, let message = MessageID(sid),
            let campaign = message.campaign, message == MessageID.make(campaign: campaign, device: client)
        else { return nil }
        self.engagement = engagement
        self.campaign = campaign
    }
}

/// What happened to a message of a center (ENG-4).
struct MessageCenterNote: Hashable, Sendable {
    let engagement: MessageCenterEngagement
    let message: MessageID
    let campaign: CampaignID

    /// Whether the id is right depends on whose event it is.
    init?(_ event: IncomingEvent) {
        guard let engagement = MessageCenterEngagement(event), let message = event.messageID.flatMap(MessageID.init),
            let campaign = message.campaign
        else { return nil }
        self.engagement = engagement
        self.message = message
        self.campaign = campaign
    }
}

extension MessageCenterEngagement {
    /// What an event of the SDK says about a message of a center.
    fileprivate init?(_ event: IncomingEvent) {
        guard event.kind == .internal else { return nil }
        switch event.name {
        case .messageCenterDisplay: self = .display
        case .messageCenterOpen: self = .open
        default: return nil
        }
    }
}
