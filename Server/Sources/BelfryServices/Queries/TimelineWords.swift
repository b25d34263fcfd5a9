import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Writes the sentences for the entries of one timeline page. A campaign that several entries name is read once, and
/// only one campaign's content is held at a time, because it may be long (SEC-2).
struct TimelineWords {
    /// The subject of a ledger decision: a campaign on a device.
    private struct Place: Hashable {
        let campaign: CampaignID
        let device: Int64
    }

    private struct Decision {
        let state: DeliveryState
        let reason: String?
        let sentence: String
    }

    private let reader: TimelineReader
    private var campaigns: [CampaignID: CampaignSummary?] = [:]
    /// The devices' rows without their applied registrations, which may be long.
    private var devices: [Int64: DeviceRow?] = [:]
    private var decisions: [Place: Decision] = [:]

    /// - Parameter entries: the entries of the page.
    init(_ reader: TimelineReader, for entries: some Sequence<TimelineReader.Found>) throws {
        self.reader = reader
        var audience = InAppAudience(of: reader.app, now: reader.clock.now, in: reader.connection)
        let places = Set(entries.compactMap(Self.place))
        for (campaign, places) in Dictionary(grouping: places, by: \.campaign) {
            let row = try content(of: campaign)
            for place in places { decisions[place] = try decision(at: place, of: row, &audience) }
        }
    }

    private static func place(of entry: TimelineReader.Found) -> Place? {
        guard case .ledger(let moment) = entry.content, moment.what == .decided, let device = moment.device else {
            return nil
        }
        return Place(campaign: moment.campaign, device: device)
    }

    mutating func entry(_ found: TimelineReader.Found) throws -> TimelineEntry {
        let at = Date(milliseconds: found.position.at)
        switch found.content {
        case .event(let device, let event):
            var entry = try entry(at, .event, device, what: event.name, event.sentence)
            entry.attributes = event.attributes
            return entry
        case .registration(let registration):
            var entry = try entry(
                at, .registration, registration.device, what: registration.status.rawValue,
                Self.sentence(registration)
            )
            entry.rejected = registration.rejected
            return entry
        case .link(let link):
            let (what, sentence) = link.words
            return try entry(at, .link, link.device, what: what, sentence)
        case .inApp(let moment): return try entry(at, moment)
        case .center(let moment):
            let campaign = try campaign(moment.campaign)
            return try entry(at, .message, moment.device, campaign, what: "\(moment.what)", moment.what.sentence)
        case .ledger(let moment):
            guard moment.what == .decided, let device = moment.device else {
                let campaign = try campaign(moment.campaign)
                return try entry(at, .message, moment.device, campaign, what: "\(moment.what)", moment.what.sentence)
            }
            return try entry(at, of: Place(campaign: moment.campaign, device: device))
        }
    }

    private mutating func entry(
        _ at: Date, _ kind: TimelineKind, _ device: Int64?, _ campaign: CampaignSummary? = nil, what: String,
        _ sentence: String
    ) throws -> TimelineEntry {
        TimelineEntry(
            at: at, kind: kind, client: try device.flatMap { try client($0) }, installation: device,
            campaign: campaign, what: what, sentence: sentence
        )
    }

    private mutating func entry(_ at: Date, _ moment: TimelineMoment<InAppMoment>) throws -> TimelineEntry {
        let campaign = try campaign(moment.campaign)
        var entry = try entry(at, .message, moment.device, campaign, what: "\(moment.what)", moment.what.sentence)
        guard moment.what == .notShown, let device = moment.device else { return entry }
        let states = try reader.connection.inAppDeviceStates.find(campaign: moment.campaign, device: device)
        let state = states.first { $0.notShownAt?.milliseconds == moment.position.at }
        entry.reason = state?.notShownReason
        guard let sentence = state?.notShownSentence else { return entry }
        return TimelineEntry(
            at: at, kind: .message, client: entry.client, installation: device, campaign: entry.campaign,
            what: entry.what, sentence: "The in-app message was not shown: \(sentence)", reason: entry.reason
        )
    }

    private mutating func entry(_ at: Date, of place: Place) throws -> TimelineEntry {
        let decision = decisions[place]
        let campaign = try campaign(place.campaign)
        let state = decision?.state ?? DeliveryState.pending
        var entry = try entry(
            at, .decision, place.device, campaign, what: state.rawValue, decision?.sentence ?? Self.unreadable
        )
        entry.reason = decision?.reason
        return entry
    }

    private static let unreadable = "The outcome is not known: the campaign or the device cannot be read."

    /// The ledger's state for a campaign on a device, with the reason.
    private mutating func decision(
        at place: Place, of campaign: CampaignRow?, _ audience: inout InAppAudience
    ) throws -> Decision {
        let delivery = try reader.connection.deliveries.find(campaign: place.campaign, device: place.device)
        let state = delivery?.state ?? DeliveryState.pending
        guard let campaign, let device = try device(place.device) else {
            return Decision(state: state, reason: delivery?.reason?.rawValue, sentence: Self.unreadable)
        }
        let explained = try Explainer.explanation(
            campaign, device: device, delivery: delivery, .none, &audience, clock: reader.clock, in: reader.connection
        ).value
        return Decision(state: state, reason: explained.reason, sentence: explained.sentence)
    }

    /// The campaign; nil if its row cannot be read.
    private func content(of id: CampaignID) throws -> CampaignRow? {
        do {
            return try reader.connection.campaigns.find(id)
        } catch let error where error.meansUnreadable {
            return nil
        }
    }

    /// The campaign's summary; nil if its row cannot be read.
    private mutating func campaign(_ id: CampaignID) throws -> CampaignSummary? {
        if let known = campaigns[id] { return known }
        do {
            let summary = try reader.connection.campaigns.summary(of: id)
            campaigns[id] = .some(summary)
            return summary
        } catch let error where error.meansUnreadable {
            campaigns[id] = .some(nil)
            return nil
        }
    }

    private mutating func device(_ number: Int64) throws -> DeviceRow? {
        if let known = devices[number] { return known }
        var row = try reader.connection.devices.findAnywhere(id: number)
        row?.applied = nil
        devices[number] = .some(row)
        return row
    }

    private mutating func client(_ number: Int64) throws -> DeviceID? {
        try reader.clients[number] ?? device(number)?.client
    }
}

extension EventRow {
    var sentence: String {
        kind == Event.Kind.custom.rawValue ? "The app tracked '\(name)'." : "The SDK reported '\(name)'."
    }
}

extension TimelineWords {
    fileprivate static func sentence(_ registration: TimelineRegistration) -> String {
        let name = "Registration \(registration.revision)"
        switch registration.status {
        case .received: return "\(name) waits to be processed."
        case .processed: return "\(name) was applied."
        case .superseded: return "\(name) was not applied: a later one had been applied already."
        case .partlyRejected:
            let parts = registration.rejected.map { "'\($0.field)' (\($0.message))" }
            return "\(name) was applied without \(parts.joined(separator: ", "))."
        }
    }
}

extension ContactLinkRow {
    /// A stable word and a sentence for the change.
    fileprivate var words: (what: String, sentence: String) {
        began ? beginning : end
    }

    private var beginning: (String, String) {
        switch cause {
        case .link where isKnown: ("login", "The person logged in on the device.")
        case .link: ("anonymous", "The device began with an anonymous contact.")
        case .logout: ("anonymous", "The device continued with an anonymous contact after a logout.")
        case .registration where isKnown: ("registered", "A registration of the device named this contact.")
        case .registration: ("anonymous", "The device registered, with an anonymous contact.")
        case .takeover: ("takenOver", "The app was reinstalled, and kept this contact.")
        case .merge: ("merged", "The device came here when an operator merged two contacts.")
        case .revocation: ("revoked", "An operator revoked the device.")
        }
    }

    private var end: (String, String) {
        switch cause {
        case .logout: ("logout", "The person logged out on the device.")
        case .link: ("left", "Somebody else logged in on the device.")
        case .registration: ("left", "A registration of the device named another contact.")
        case .takeover: ("left", "The app was reinstalled, and the new installation took over this contact.")
        case .merge: ("left", "The device went to another contact when an operator merged two.")
        case .revocation: ("revoked", "An operator revoked the device: its tokens and its link ended.")
        }
    }
}

extension CenterMoment {
    fileprivate var sentence: String {
        switch self {
        case .placed: "The message was placed in the message center."
        case .read: "The message was read in the message center."
        case .deleted: "The message was deleted in the message center."
        case .recalled: "The message was recalled from the message center."
        }
    }
}

extension InAppMoment {
    fileprivate var sentence: String {
        switch self {
        case .downloaded: "The device downloaded the in-app message."
        case .displayed: "The in-app message was displayed, the last time."
        case .clicked: "The in-app message was tapped, the last time."
        case .dismissed: "The in-app message was closed, the last time."
        case .notShown: "The in-app message was not shown."
        case .withdrawn: "The in-app message was withdrawn from the device."
        }
    }
}

extension LedgerMoment {
    fileprivate var sentence: String {
        switch self {
        case .decided: "The server decided about the message."
        case .received: "The device received the push."
        case .displayed: "The push was displayed."
        case .opened: "The push was opened."
        case .dismissed: "The push was dismissed without being opened."
        }
    }
}
