import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore

/// What an event of the SDK's own says about a push or a message. It is read before the write, because all other writes
/// wait for that (SEC-9).
struct EventNotes: Hashable, Sendable {
    /// About a push to this device.
    let push: PushReport?
    let inApp: InAppReport?
    /// About a message of a center; whose it is, is not known yet.
    let center: MessageCenterNote?
    /// A tag of a message of a center.
    let tag: InboxTagNote?

    /// Nil for most events: they are about neither.
    init?(_ event: Event, client: DeviceID) {
        guard event.kind == .internal else { return nil }
        let pushEngagement = Engagement(ofPush: event.name)
        let centerEngagement = MessageCenterEngagement(event.name)
        let isTag = event.name == .inboxTagAdded
        guard pushEngagement != nil || centerEngagement != nil || event.isInAppReport || isTag else { return nil }
        let attributes = event.attributeValues
        push = pushEngagement.flatMap { PushReport($0, attributes, client: client) }
        inApp = event.isInAppReport ? InAppReport(event.name, attributes, client: client) : nil
        center = centerEngagement.flatMap { MessageCenterNote($0, attributes) }
        tag = isTag ? InboxTagNote(attributes) : nil
        if push == nil, inApp == nil, center == nil, tag == nil { return nil }
    }

    /// The notes of a batch, by the index of their event.
    static func all(of events: [Event], client: DeviceID) -> [Int: EventNotes] {
        var notes: [Int: EventNotes] = [:]
        for (place, event) in events.enumerated() {
            if let note = EventNotes(event, client: client) { notes[place] = note }
        }
        return notes
    }
}

/// What happened to a push of a campaign (LED-1).
struct PushReport: Hashable, Sendable {
    let engagement: Engagement
    let campaign: CampaignID

    /// The attribute `sid` names the message and so its campaign; it must be the one of this very device.
    fileprivate init?(_ engagement: Engagement, _ attributes: [String: AttributeValue], client: DeviceID) {
        guard case .string(let sid)? = attributes["sid"], let message = MessageID(sid),
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
    fileprivate init?(_ engagement: MessageCenterEngagement, _ attributes: [String: AttributeValue]) {
        guard case .string(let id)? = attributes["messageId"], let message = MessageID(id),
            let campaign = message.campaign
        else { return nil }
        self.engagement = engagement
        self.message = message
        self.campaign = campaign
    }
}

/// A tag that an app has put on a message of its inbox: clients of v3 send it as an event, and it is how a person of
/// theirs reads and deletes (WIRE-29, MC-14).
struct InboxTagNote: Hashable, Sendable {
    let message: MessageID
    let campaign: CampaignID
    let state: MessageState

    /// Nil for a tag that is the app's own, and changes no state.
    fileprivate init?(_ attributes: [String: AttributeValue]) {
        guard case .string(let id)? = attributes["messageId"], let message = MessageID(id),
            let campaign = message.campaign, case .string(let tag)? = attributes["tag"],
            let state = MessageState(v3Tag: tag)
        else { return nil }
        self.message = message
        self.campaign = campaign
        self.state = state
    }
}

extension MessageState {
    /// The tags with which v3 clients are shown a message of this state. All of them make it read.
    package var v3Tags: [String] {
        switch self {
        case .read: ["read", "seen", "opened"]
        case .deleted: ["deleted"]
        case .unread: []
        }
    }

    init?(v3Tag tag: String) {
        guard let state = [MessageState.read, .deleted].first(where: { $0.v3Tags.contains(tag.lowercased()) }) else {
            return nil
        }
        self = state
    }
}

extension Engagement {
    /// What an event of the SDK says about a push.
    fileprivate init?(ofPush name: EventName) {
        switch name {
        case .pushReceived: self = .received
        case .pushDisplayed: self = .displayed
        case .pushClick: self = .opened
        case .pushDismiss: self = .dismissed
        default: return nil
        }
    }
}

extension MessageCenterEngagement {
    /// What an event of the SDK says about a message of a center.
    fileprivate init?(_ name: EventName) {
        switch name {
        case .messageCenterDisplay: self = .display
        case .messageCenterOpen: self = .open
        default: return nil
        }
    }
}

extension Event {
    /// The attributes, read from their text; none if the text cannot be read.
    var attributeValues: [String: AttributeValue] { (try? StoredAttributes.read(attributes)) ?? [:] }
}
