import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A query for the inline messages of some views of the app (WIRE-14).
struct V3InlineQuery: Sendable {
    let viewIDs: [String]
    let now: Date
    let caches: InAppCaches

    /// The result for the client: the first message by priority for each view. It changes nothing.
    func found(
        _ connection: any SQLConnection, _ link: DeviceLink, _ results: AudienceResults
    ) throws -> V3InAppResult {
        var finding = V3InAppResult(clock: try connection.inAppRevisions.find(app: link.app).version)
        let active = try caches.campaigns.active(app: link.app, clock: finding.clock, connection)
        let open = active.offers.filter {
            $0.message.type == .inline && $0.isOpen(at: now)
        }
        guard !open.isEmpty, let contact = link.contact, let device = try connection.devices.find(id: link.id) else {
            return finding
        }
        let copies = try connection.inAppDeviceStates.copies(
            device: link.id, contact: contact, campaigns: open.map(\.id))
        var audience = InAppAudience(of: link.app, now: now, in: connection)
        var rendering = InAppRendering(of: link.app, by: caches.templates, in: connection)
        var places: Set<String> = []
        for viewID in viewIDs where places.insert(viewID.lowercased()).inserted {
            for offer in open where offer.message.isFor(viewID: viewID) {
                let shown = copies[offer.id]?.shown(inEpoch: offer.message.displayEpoch) ?? 0
                guard offer.isOpen(at: now, displays: shown),
                    try finding.take(
                        offer, of: active, for: device, viewID: viewID, &audience, &rendering, results
                    )
                else { continue }
                break
            }
        }
        for copy in finding.copies where copies[copy.campaign]?.holds(copy) == true {
            finding.known.insert(copy.campaign)
        }
        return finding
    }
}

extension InAppDeviceStateRow {
    /// Whether the device's state already has this version of the message.
    fileprivate func holds(_ copy: V3InAppDelivery) -> Bool {
        downloadedAt != nil && recalledAt == nil && version == copy.version && epoch >= copy.epoch
    }
}
