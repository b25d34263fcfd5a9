import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// One look at what to answer to the events that a device has just sent (IAM-13, IAM-5, IAM-6). A client of version 3
/// decides nothing by itself: it shows what it gets.
struct OverlayLook: Sendable {
    /// Seconds after an answer in which the device gets no other message, and in which one that it has not told of yet
    /// counts as shown.
    static let gap: TimeInterval = InAppPolicy().minimumGap
    /// Displays that are looked through for the last one of a campaign.
    static let maximumDisplays = 200

    /// Those that are new, of the contact that the device has now.
    let events: [TriggerEvent]
    /// Displays that the client tells of beside its events, by campaign.
    let shown: [String: Int]
    let now: Date
    let offers: OverlayOffers
    let templates: InAppTemplateCache

    /// Finds out what the client is told, and changes nothing.
    func found(_ connection: any SQLConnection, _ link: DeviceLink) throws -> OverlayFinding {
        var finding = OverlayFinding()
        let names = Set(events.map(\.name))
        let offers = try self.offers.offers(of: link.app, connection)
        let named = offers.filter { offer in
            offer.isOpen(at: now) && offer.trigger.map { names.contains($0.eventName) } ?? false
        }
        guard !named.isEmpty, let contact = link.contact, let device = try connection.devices.find(id: link.id) else {
            return finding
        }
        let subject = TriggerDevice(device)
        let triggered = named.filter { $0.isTriggered(by: events, on: subject) }
        guard !triggered.isEmpty else { return finding }
        let copies = try connection.inAppCopies.copies(
            device: link.id, contact: contact, campaigns: offers.map(\.id)
        )
        var isFree = !offers.contains { $0.type.isOverlay && wasAnswered(copies[$0.id]) }
        var isIdle = true
        for offer in triggered where offer.type.isOverlay ? isFree : isIdle {
            guard mayShow(offer, copies[offer.id]),
                try hasOccurred(offer, subject, of: contact, on: link.id, connection)
            else { continue }
            guard try finding.take(offer, for: device, now: now, connection, templates) else { continue }
            if offer.type.isOverlay { isFree = false } else { isIdle = false }
        }
        return finding
    }

    /// What the client has not told of by now may be on its screen, or about to be.
    private func wasAnswered(_ copy: InAppCopyRow?) -> Bool {
        guard let at = copy?.downloadedAt else { return false }
        return (0..<Self.gap).contains(now.timeIntervalSince(at))
    }

    /// The server's count, or the client's if it tells of more, and the one that is under way.
    private func mayShow(_ offer: OverlayOffer, _ copy: InAppCopyRow?) -> Bool {
        let known = max(copy?.shown(inEpoch: offer.displayEpoch) ?? 0, shown[offer.id.description] ?? 0)
        return known + (wasAnswered(copy) ? 1 : 0) < offer.displayLimit
    }

    /// Whether there were enough events since the campaign was launched, or since the person saw its message last.
    private func hasOccurred(
        _ offer: OverlayOffer, _ subject: TriggerDevice, of contact: Int64, on device: Int64,
        _ connection: any SQLConnection
    ) throws -> Bool {
        guard let trigger = offer.trigger, trigger.neededOccurrence > 1 else { return true }
        guard let name = try? EventName(trigger.event) else { return false }
        let displays = try connection.events.ofPerson(
            contact, device: device, named: .inAppViewed, from: offer.launchedAt, limit: Self.maximumDisplays
        )
        let last = displays.first { $0.attributes["campaignId"]?.textRead == offer.id.description }
        // An event of the very moment of the display came before it.
        let from = last.map { $0.at.addingTimeInterval(0.001) } ?? offer.launchedAt
        let past = try connection.events.ofPerson(
            contact, device: device, named: name, from: from, limit: InAppLimits.maximumOccurrence
        )
        let count = past.count {
            trigger.matches(TriggerEvent(name: name.rawValue, attributes: $0.attributes), on: subject)
        }
        return count >= trigger.neededOccurrence
    }
}

extension TriggerDevice {
    init(_ device: DeviceRow) {
        let consent = DeviceConsent(
            hasToken: device.pushToken != nil, pushEnabled: device.pushEnabled ?? true,
            osPushEnabled: device.osPushEnabled, optOut: device.optOut
        )
        self.init(properties: device.system, isOptedIn: consent.suppression == nil)
    }
}

extension TriggerEvent {
    init(_ event: IncomingEvent) {
        let attributes = try? JSONText.decode([String: AttributeValue].self, event.attributes)
        self.init(name: event.name.rawValue, attributes: attributes ?? [:])
    }
}
