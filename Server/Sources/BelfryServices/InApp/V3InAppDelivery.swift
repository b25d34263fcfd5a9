import BelfryCampaigns
import BelfryInAppRenderer
import BelfryModel
import BelfryStore
import Foundation

/// A message as one device's contact gets it, for a client of version 3.
struct V3InAppDelivery: Hashable, Sendable {
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
    func page(allowsScripts: Bool) -> V3InAppPage {
        let options = InAppPageOptions(
            bridge: .v3(campaignID: campaign.description), language: language, allowsScripts: allowsScripts
        )
        return V3InAppPage(campaign: campaign, html: InAppPage.make(content, type: type, options: options))
    }

    /// What version 3 can do of a message that shows nothing.
    var actions: V3InAppActions {
        V3InAppActions(
            campaign: campaign,
            actions: (content.actions ?? []).filter { $0.type == .openUrl || $0.type == .event }
        )
    }
}

/// What a look has found for a client of version 3.
struct V3InAppResult: AudienceDependentResult {
    /// The version of the app's clock by which it was found.
    let clock: Int64
    /// What the client gets of it stands in the ledger first.
    var copies: [V3InAppDelivery] = []
    /// Those of them that stand there as they are.
    var known: Set<CampaignID> = []
    /// Why a message cannot be made for the device's contact, as far as the ledger does not say so already.
    var errors: [CampaignID: String] = [:]
    var open: Set<CampaignID> = []

    /// Whether there is something to write before the client is told.
    var isWritten: Bool { !downloads.isEmpty || !errors.isEmpty }

    var downloads: [V3InAppDelivery] { copies.filter { !known.contains($0.campaign) } }

    /// Campaigns of which the device's row in the ledger ends, unless it has before.
    var ending: [CampaignID] { downloads.map(\.campaign) + errors.keys }

    /// Adds the message of an offer, or why it cannot be made; neither when its audience does not hold the device.
    ///
    /// - Returns: whether there is a message.
    mutating func take(
        _ offer: V3InAppCandidate, of active: ActiveInAppCampaigns, for device: DeviceRow, viewID: String? = nil,
        _ audience: inout InAppAudience, _ rendering: inout InAppRendering, _ verdicts: AudienceResults
    ) throws -> Bool {
        do {
            guard let row = active.row(of: offer.id) else { return false }
            let verdict = try audience.verdict(on: row, device: device.id) {
                verdicts.verdict(on: $0, contact: device.contact, clock: clock)
            }
            if verdict == .open { open.insert(row.id) }
            guard verdict == .holds, var copy = try Self.copy(of: row, for: device, &rendering) else { return false }
            // A message that does nothing which version 3 can do is none.
            if copy.type == .action, copy.actions.actions.isEmpty { return false }
            copy.viewID = viewID
            copies.append(copy)
            return true
        } catch let error as RenderError {
            let note = "\(error.field): \(error.sentence)"
            let ledger = InAppLedger(connection: rendering.connection, device: device.id)
            if try !ledger.says(note, of: offer.id) { errors[offer.id] = note }
            return false
        }
    }

    private static func copy(
        of row: CampaignRow, for device: DeviceRow, _ rendering: inout InAppRendering
    ) throws -> V3InAppDelivery? {
        guard let message = row.campaign.draft.inApp, let own = try rendering.draft(of: row, device: device.id) else {
            return nil
        }
        return V3InAppDelivery(
            campaign: row.id, version: row.campaign.inAppVersion, epoch: row.campaign.displayEpoch, type: own.type,
            content: own.content,
            language: LocaleMatch.best(of: Array((message.variants ?? [:]).keys), for: device.system.locale)
        )
    }

    /// Writes down what a client of version 3 is about to get (LED-1).
    func write(to ledger: InAppLedger, contact: Int64, now: Date) throws {
        try ledger.download(downloads.map { ($0.campaign, $0.version, $0.epoch) }, contact: contact, now: now)
        try ledger.suppress(errors, contact: contact, now: now)
    }
}
