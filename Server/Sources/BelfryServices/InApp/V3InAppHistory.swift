import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What a contact did on a device before, for triggers that wait for the n-th event (IAM-5): read once for each name in
/// one look, however many campaigns ask for it.
struct V3InAppHistory {
    /// Displays that are looked through for the last one of each campaign.
    static let maximumDisplays = 200
    /// Events of one name that are looked at for triggers with a `where`, the newest, and their bytes: a long history
    /// holds up nobody.
    static let maximumEvents = 1_000
    static let maximumBytes = 4 << 20

    private let connection: any SQLConnection
    private let device: Int64
    private let contact: Int64
    private let subject: TriggerDevice
    /// The first moment that counts for any campaign.
    private let from: Date
    /// The events that the triggers without a `where` wait for at most, by name.
    private let needed: [EventName: Int]

    private var displays: [String: Date]?
    /// The newest first.
    private var moments: [EventName: [Date]] = [:]
    private var events: [EventName: [(at: Date, event: WeighedEvent)]] = [:]

    /// - Parameter offers: those that it may be asked about.
    init(
        _ connection: any SQLConnection, device: Int64, contact: Int64, subject: TriggerDevice,
        offers: [V3InAppCandidate]
    ) {
        self.connection = connection
        self.device = device
        self.contact = contact
        self.subject = subject
        from = offers.map(\.launchedAt).min() ?? .distantPast
        needed = offers.reduce(into: [:]) { needed, offer in
            guard let trigger = offer.message.trigger, trigger.filter == nil,
                let name = try? EventName(trigger.event)
            else { return }
            needed[name] = max(needed[name] ?? 0, trigger.neededOccurrence)
        }
    }

    /// Whether there were enough events since the campaign was launched, or since the person saw its message last.
    mutating func hasEnough(for offer: V3InAppCandidate, _ effort: inout TriggerEffort) throws -> Bool {
        guard let weighed = offer.trigger, weighed.trigger.neededOccurrence > 1 else { return true }
        let trigger = weighed.trigger
        guard let name = try? EventName(trigger.event) else { return false }
        // An event of the very moment of the display came before it.
        let last = try lastDisplay(of: offer.id)?.addingTimeInterval(0.001) ?? offer.launchedAt
        let from = max(last, offer.launchedAt)
        guard trigger.filter != nil else {
            let moments = try moments(of: name)
            return moments.count >= trigger.neededOccurrence && moments[trigger.neededOccurrence - 1] >= from
        }
        var count = 0
        for (at, event) in try events(of: name) where count < trigger.neededOccurrence {
            guard at >= from else { break }
            if effort.isMet(weighed, by: event, on: subject) { count += 1 }
        }
        return count == trigger.neededOccurrence
    }

    private mutating func lastDisplay(of campaign: CampaignID) throws -> Date? {
        if displays == nil {
            let all = try connection.events.ofPerson(
                contact, device: device, named: .inAppViewed, from: from, limit: Self.maximumDisplays,
                maximumBytes: Self.maximumBytes
            )
            displays = all.reduce(into: [:]) { displays, display in
                guard let campaign = display.attributes["campaignId"]?.textRead else { return }
                displays[campaign] = displays[campaign] ?? display.at
            }
        }
        return displays?[campaign.description]
    }

    private mutating func moments(of name: EventName) throws -> [Date] {
        if let known = moments[name] { return known }
        let read = try connection.events.momentsOfPerson(
            contact, device: device, named: name, from: from, limit: needed[name] ?? 0
        )
        moments[name] = read
        return read
    }

    private mutating func events(of name: EventName) throws -> [(at: Date, event: WeighedEvent)] {
        if let known = events[name] { return known }
        let read = try connection.events.ofPerson(
            contact, device: device, named: name, from: from, limit: Self.maximumEvents,
            maximumBytes: Self.maximumBytes
        )
        let made = read.map { event in
            (at: event.at, event: WeighedEvent(TriggerEvent(name: name.rawValue, attributes: event.attributes)))
        }
        events[name] = made
        return made
    }
}
