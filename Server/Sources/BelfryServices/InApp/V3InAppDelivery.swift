import BelfryCampaigns
import BelfryInAppRenderer
import BelfryModel
import BelfryStore
import Foundation

/// A message for a client of version 3, rendered for one device's contact.
struct V3InAppDelivery: Hashable, Sendable {
    let campaign: CampaignID
    let version: Int
    let epoch: Int
    let type: InAppType
    let content: InAppContent
    /// The variant's language. Nil for the default content.
    let language: String?
    /// The id of an inline message's view, as the client sent it.
    var viewID: String?

    /// The same page that other devices show, with the bridge of version 3 (IAM-12).
    func page(allowsScripts: Bool) -> V3InAppPage {
        let options = InAppPageOptions(
            bridge: .v3(campaignID: campaign.description), language: language, allowsScripts: allowsScripts
        )
        return V3InAppPage(campaign: campaign, html: InAppPage.make(content, type: type, options: options))
    }

    /// Those actions of a message without display that version 3 supports.
    var actions: V3InAppActions {
        V3InAppActions(
            campaign: campaign,
            actions: (content.actions ?? []).filter { $0.type == .openUrl || $0.type == .event }
        )
    }
}

/// The result of a query for a client of version 3.
struct V3InAppResult: AudienceDependentResult {
    /// The version of the app's clock at which the result was found.
    let clock: Int64
    /// The messages for the client. They are written to the ledger before the response.
    var copies: [V3InAppDelivery] = []
    /// Those of them that the ledger already has.
    var known: Set<CampaignID> = []
    /// Why messages cannot be rendered for the device's contact. Errors that the ledger already has are left out.
    var errors: [CampaignID: String] = [:]
    var open: Set<CampaignID> = []

    /// Whether something must be written before the response.
    var isWritten: Bool { !downloads.isEmpty || !errors.isEmpty }

    var downloads: [V3InAppDelivery] { copies.filter { !known.contains($0.campaign) } }

    /// Campaigns whose delivery to the device ends now, unless it has ended before.
    var ending: [CampaignID] { downloads.map(\.campaign) + errors.keys }

    /// Adds the message of an offer, or the error with which it cannot be rendered. Adds neither when the audience does
    /// not contain the device.
    ///
    /// - Returns: whether there is a message.
    mutating func take(
        _ offer: V3InAppCandidate, of active: ActiveInAppCampaigns, for device: DeviceRow, viewID: String? = nil,
        _ audience: inout InAppAudience, _ rendering: inout InAppRendering, _ results: AudienceResults
    ) throws -> Bool {
        do {
            guard let row = active.row(of: offer.id) else { return false }
            let outcome = try audience.outcome(on: row, device: device.id) {
                results.outcome(on: $0, contact: device.contact, clock: clock)
            }
            if outcome == .open { open.insert(row.id) }
            guard outcome == .holds, var copy = try Self.copy(of: row, for: device, &rendering) else { return false }
            // A message without an action that version 3 supports is skipped.
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

    /// Writes to the ledger what a client of version 3 is about to get (LED-1).
    func write(to ledger: InAppLedger, contact: Int64, now: Date) throws {
        try ledger.download(downloads.map { ($0.campaign, $0.version, $0.epoch) }, contact: contact, now: now)
        try ledger.suppress(errors, contact: contact, now: now)
    }
}
