import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A query for the response to the events that a device has just sent (IAM-13, IAM-5, IAM-6). A client of version 3
/// decides nothing by itself: it shows what it gets.
struct V3InAppQuery: Sendable {
    /// Seconds after a response in which the device gets no other message. During this time an unreported message
    /// counts as displayed.
    static let gap: TimeInterval = InAppPolicy().minimumGap

    /// The new events of the device's present contact.
    let events: [TriggerEvent]
    /// Displays that the client reports besides its events, by campaign.
    let shown: [String: Int]
    let now: Date
    let caches: InAppCaches

    /// The result for the client. It changes nothing.
    func found(
        _ connection: any SQLConnection, _ link: DeviceLink, _ results: AudienceResults
    ) throws -> V3InAppResult {
        var finding = V3InAppResult(clock: try connection.inAppRevisions.find(app: link.app).version)
        let events = Dictionary(grouping: self.events.map(WeighedEvent.init), by: \.event.name)
        let active = try caches.campaigns.active(app: link.app, clock: finding.clock, connection)
        let offers = active.offers
        let named = offers.filter { offer in
            offer.isOpen(at: now) && offer.trigger.map { events[$0.eventName] != nil } ?? false
        }
        guard !named.isEmpty, let contact = link.contact, let device = try connection.devices.find(id: link.id) else {
            return finding
        }
        let subject = TriggerDevice(device)
        var effort = TriggerEffort()
        let triggered = named.filter { offer in
            guard let trigger = offer.trigger, let named = events[trigger.eventName] else { return false }
            return named.contains { effort.isMet(trigger, by: $0, on: subject) }
        }
        guard !triggered.isEmpty else { return finding }
        let copies = try connection.inAppDeviceStates.copies(
            device: link.id, contact: contact, campaigns: offers.map(\.id)
        )
        var isFree = !offers.contains { $0.message.type.isOverlay && wasJustSent(copies[$0.id]) }
        var isIdle = true
        var history = V3InAppHistory(
            connection, device: link.id, contact: contact, subject: subject, offers: triggered
        )
        var audience = InAppAudience(of: link.app, now: now, in: connection)
        var rendering = InAppRendering(of: link.app, by: caches.templates, in: connection)
        for offer in triggered where offer.message.type.isOverlay ? isFree : isIdle {
            guard mayShow(offer, copies[offer.id]), try history.hasEnough(for: offer, &effort) else { continue }
            guard try finding.take(offer, of: active, for: device, &audience, &rendering, results) else { continue }
            if offer.message.type.isOverlay { isFree = false } else { isIdle = false }
        }
        return finding
    }

    /// Whether the result is still valid for the contact and the campaigns: another call may have been answered
    /// meanwhile. It does not read the history again, because it runs in a write transaction. The caller has already
    /// compared the campaigns' clock.
    func stands(_ finding: V3InAppResult, _ connection: any SQLConnection, _ link: DeviceLink) throws -> Bool {
        guard let contact = link.contact else { return false }
        let offers = try caches.campaigns.active(app: link.app, clock: finding.clock, connection).offers
        let copies = try connection.inAppDeviceStates.copies(
            device: link.id, contact: contact, campaigns: offers.map(\.id)
        )
        let isFree = !offers.contains { $0.message.type.isOverlay && wasJustSent(copies[$0.id]) }
        return finding.copies.allSatisfy { copy in
            guard let offer = offers.first(where: { $0.id == copy.campaign }) else { return false }
            return (isFree || !offer.message.type.isOverlay) && mayShow(offer, copies[offer.id])
        }
    }

    /// A message that the client has not reported yet may be on its screen, or about to be. Another process that was
    /// asked a moment later may have responded first, or its clock may be ahead.
    private func wasJustSent(_ copy: InAppDeviceStateRow?) -> Bool {
        guard let at = copy?.downloadedAt else { return false }
        return abs(now.timeIntervalSince(at)) < Self.gap
    }

    /// Whether the message may be displayed. It counts the displays that the server knows, or those that the client
    /// reports if they are more, and one that is in progress.
    private func mayShow(_ offer: V3InAppCandidate, _ copy: InAppDeviceStateRow?) -> Bool {
        let known = max(copy?.shown(inEpoch: offer.message.displayEpoch) ?? 0, shown[offer.id.description] ?? 0)
        return offer.isOpen(at: now, displays: known + (wasJustSent(copy) ? 1 : 0))
    }
}

extension TriggerDevice {
    init(_ device: DeviceRow) {
        self.init(properties: device.system, isOptedIn: device.consent.isOptedIn)
    }
}

extension TriggerEvent {
    init(_ event: Event) {
        self.init(name: event.name.rawValue, attributes: event.attributeValues)
    }
}
