import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A message as one device's contact gets it, for a client of version 3.
struct OverlayCopy: Hashable, Sendable {
    let campaign: CampaignID
    let version: Int
    let epoch: Int
    let type: InAppType
    let content: InAppContent
    /// Of the variant; nil for the content itself.
    let language: String?
    /// Of an inline message: the place as the client named it.
    var viewID: String?

    /// The very page that other devices show, with the bridge of version 3 (IAM-12).
    func page(allowsScripts: Bool) -> OverlayPage {
        let options = InAppPageOptions(
            bridge: .v3(campaignID: campaign.description), language: language, allowsScripts: allowsScripts
        )
        return OverlayPage(campaign: campaign, html: InAppPage.make(content, type: type, options: options))
    }

    /// What version 3 can do of a message that shows nothing.
    var actions: OverlayActions {
        OverlayActions(
            campaign: campaign,
            actions: (content.actions ?? []).filter { $0.type == .openUrl || $0.type == .event }
        )
    }
}

/// What a look has found for a client of version 3.
struct OverlayFinding: Sendable {
    /// The version of the app's clock by which it was found.
    let clock: Int64
    /// What the client gets of it stands in the ledger first.
    var copies: [OverlayCopy] = []
    /// Those of them that stand there as they are.
    var known: Set<CampaignID> = []
    /// Why a message cannot be made for the device's contact, as far as the ledger does not say so already.
    var faults: [CampaignID: String] = [:]

    /// Whether there is something to write before the client is told.
    var isWritten: Bool { !downloads.isEmpty || !faults.isEmpty }

    var downloads: [OverlayCopy] { copies.filter { !known.contains($0.campaign) } }

    /// Adds the message of an offer, or why it cannot be made; neither when its audience does not hold the device.
    ///
    /// - Returns: whether there is a message.
    mutating func take(
        _ offer: OverlayOffer, for device: DeviceRow, viewID: String? = nil, now: Date,
        _ connection: any SQLConnection, _ templates: InAppTemplateCache
    ) throws -> Bool {
        do {
            guard var copy = try connection.overlay(offer, for: device, now: now, templates) else { return false }
            // A message that does nothing which version 3 can do is none.
            if copy.type == .action, copy.actions.actions.isEmpty { return false }
            copy.viewID = viewID
            copies.append(copy)
            return true
        } catch let fault as RenderFault {
            let note = "\(fault.field): \(fault.sentence)"
            if try !connection.ledger(of: device.id, says: note, of: offer.id) { faults[offer.id] = note }
            return false
        }
    }
}

extension SQLConnection {
    fileprivate func overlay(
        _ offer: OverlayOffer, for device: DeviceRow, now: Date, _ templates: InAppTemplateCache
    ) throws -> OverlayCopy? {
        guard let row = try inAppCampaigns.find([offer.id]).first, let message = row.campaign.draft.inApp,
            try inAppCampaign(row, holds: device.id, now: now),
            let own = try inAppDraft(of: row, device: device.id, templates)
        else { return nil }
        return OverlayCopy(
            campaign: row.id, version: row.campaign.inAppVersion, epoch: row.campaign.displayEpoch, type: own.type,
            content: own.content,
            language: LocaleMatch.best(of: Array((message.variants ?? [:]).keys), for: device.system.locale)
        )
    }

    /// Writes down what a client of version 3 is about to get (LED-1).
    func save(_ finding: OverlayFinding, device: Int64, contact: Int64, now: Date) throws {
        try download(
            finding.downloads.map { ($0.campaign, $0.version, $0.epoch) }, device: device, contact: contact, now: now
        )
        for (campaign, note) in finding.faults.sorted(by: { $0.key < $1.key }) {
            try deliveries.suppressDownload(campaign, device: device, contact: contact, note: note, now: now)
        }
    }
}
