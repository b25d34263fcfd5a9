import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore

/// The content of an internal event about a push or a message. It is read before the write transaction, because all
/// other writes wait for that (SEC-9).
struct EventNotes: Hashable, Sendable {
    /// The report of a push to this device.
    let push: PushReport?
    let inApp: InAppReport?
    /// The report of a message center message. Whose message it is, is not known yet.
    let center: MessageCenterNote?
    /// A tag of a message center message.
    let tag: InboxTagNote?

    /// Nil for most events: they are about neither a push nor a message.
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

    /// The notes of an upload's events, by their positions.
    static func all(of events: [Event], client: DeviceID) -> [Int: EventNotes] {
        var notes: [Int: EventNotes] = [:]
        for (place, event) in events.enumerated() {
            if let note = EventNotes(event, client: client) { notes[place] = note }
        }
        return notes
    }
}

/// A report of what happened to a push of a campaign (LED-1).
struct PushReport: Hashable, Sendable {
    let engagement: Engagement
    let campaign: CampaignID

    /// The attribute `sid` names the message and so its campaign. Nil if it names a message of another device.
    fileprivate init?(_ engagement: Engagement, _ attributes: [String: AttributeValue], client: DeviceID) {
        guard case .string(let sid)? = attributes["sid"], let message = MessageID(sid),
            let campaign = message.campaign, message == MessageID.make(campaign: campaign, device: client)
        else { return nil }
        self.engagement = engagement
        self.campaign = campaign
    }
}

/// A report of what happened to a message center message (ENG-4).
struct MessageCenterNote: Hashable, Sendable {
    let engagement: MessageCenterEngagement
    let message: MessageID
    let campaign: CampaignID

    /// Whether the id is right depends on the contact of the event, which is checked later.
    fileprivate init?(_ engagement: MessageCenterEngagement, _ attributes: [String: AttributeValue]) {
        guard case .string(let id)? = attributes["messageId"], let message = MessageID(id),
            let campaign = message.campaign
        else { return nil }
        self.engagement = engagement
        self.message = message
        self.campaign = campaign
    }
}

/// A tag that an app has put on a message of its inbox. Clients of v3 send it as an event, and people read and delete
/// messages with it (WIRE-29, MC-14).
struct InboxTagNote: Hashable, Sendable {
    let message: MessageID
    let campaign: CampaignID
    let state: MessageState

    /// Nil for a tag of the app's own, which changes no state.
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
    /// The tags by which v3 clients see this message state. All of them mean that the message is read.
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
    /// The engagement that an internal event reports about a push. Nil for any other event.
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
    /// The engagement that an internal event reports about a message center message. Nil for any other event.
    fileprivate init?(_ name: EventName) {
        switch name {
        case .messageCenterDisplay: self = .display
        case .messageCenterOpen: self = .open
        default: return nil
        }
    }
}

extension Event {
    /// The attributes, decoded from their text. Empty if the text cannot be decoded.
    var attributeValues: [String: AttributeValue] { (try? StoredAttributes.read(attributes)) ?? [:] }
}
