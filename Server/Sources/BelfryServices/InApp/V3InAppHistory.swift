import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A contact's earlier events and displays on a device, for triggers that wait for the n-th event (IAM-5). A query
/// reads each event name once, for all campaigns together.
struct V3InAppHistory {
    /// The most displays that are searched for the last one of each campaign.
    static let maximumDisplays = 200
    /// The most events of one name that are read for triggers with a `where`, newest first. It also limits their bytes,
    /// so a long history delays nobody.
    static let maximumEvents = 1_000
    static let maximumBytes = 4 << 20

    private let connection: any SQLConnection
    private let device: Int64
    private let contact: Int64
    private let subject: TriggerDevice
    /// The earliest date that counts for any campaign.
    private let from: Date
    /// The highest number of events that triggers without a `where` wait for, by name.
    private let needed: [EventName: Int]

    private var displays: [String: Date]?
    /// The dates of events by name, newest first.
    private var moments: [EventName: [Date]] = [:]
    private var events: [EventName: [(at: Date, event: WeighedEvent)]] = [:]

    /// - Parameter offers: the campaigns that may be checked.
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

    /// Whether enough events happened since the campaign was launched, or since the person last saw its message.
    mutating func hasEnough(for offer: V3InAppCandidate, _ effort: inout TriggerEffort) throws -> Bool {
        guard let weighed = offer.trigger, weighed.trigger.neededOccurrence > 1 else { return true }
        let trigger = weighed.trigger
        guard let name = try? EventName(trigger.event) else { return false }
        // An event at the same millisecond as the display came before it.
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
