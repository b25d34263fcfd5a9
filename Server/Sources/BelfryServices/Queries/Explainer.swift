import BelfryModel
import BelfryStore
import Foundation

/// What became of one campaign at a device.
package struct DeviceMessage: Hashable, Sendable {
    package let campaign: CampaignSummary
    /// When its row was last written.
    package let at: Date
    package let explanation: Explanation
}

/// Answers "why did this person (not) get it?" in one call (LED-2).
package struct Explainer: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// How its sentences tell moments.
    private var text: @Sendable (Date) -> String = { Timestamp.text($0) }

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// The same in other words for moments: by the clocks of the app's zone, for people.
    package func telling(_ text: @escaping @Sendable (Date) -> String) -> Explainer {
        var explainer = self
        explainer.text = text
        return explainer
    }

    /// The moment of a question, with the words for others.
    var clock: ExplanationClock { ExplanationClock(now: environment.now(), text: text) }

    /// - Parameter installation: which of those with this id; nil: the one that the id means to people (WIRE-20).
    package func explain(
        _ id: CampaignID, device client: String, installation: Int64? = nil, app: AppRecord
    ) async throws -> Explanation {
        let found = try await find(id, app: app) { try $0.device(client, installation: installation) }
        return try await completed([found], app: app)[0]
    }

    /// What there is to say before the parts of an audience are judged.
    ///
    /// - Parameter device: finds the device, each time anew.
    func find(
        _ id: CampaignID, app: AppRecord, device: @escaping @Sendable (AppLookup) throws -> DeviceRow
    ) async throws -> Found {
        let clock = self.clock
        return try await explained(now: clock.now) { connection, verdicts in
            let lookup = AppLookup(connection: connection, app: app.id)
            let row = try lookup.campaign(id)
            let device = try device(lookup)
            let delivery = try connection.deliveries.find(campaign: id, device: device.id)
            let (explanation, isOpen) = try Self.explanation(
                row, device: device, delivery: delivery, verdicts, clock: clock, in: connection
            )
            let value = Found(
                explanation: explanation,
                outside: explanation.isOutside
                    ? DeviceOutside(device: device.id, audience: row.campaign.draft.audience) : nil
            )
            return Explained(value: value, open: isOpen ? [id] : [], device: device)
        }
    }

    /// The same explanations, with the parts of the audience of each device that it left out.
    func completed(_ all: [Found], app: AppRecord) async throws -> [Explanation] {
        var explanations = all.map(\.explanation)
        let outside = all.enumerated().compactMap { index, found in found.outside.map { (index: index, device: $0) } }
        let parts = try await AudienceEvidence(database: database)
            .parts(of: outside.map(\.device), app: app, now: clock.now)
        for (one, audience) in zip(outside, parts) { explanations[one.index].audience = audience }
        return explanations
    }

    /// What one view of the store says, and what is still to be asked.
    struct Found: Sendable {
        let explanation: Explanation
        let outside: DeviceOutside?
    }

    /// Every campaign that had the device in its audience, the newest first.
    ///
    /// - Parameters:
    ///   - installation: which of those with this id; nil: the one that the id means to people (WIRE-20).
    ///   - cursor: the number of the campaign before which the list goes on.
    package func messages(
        of client: String, installation: Int64? = nil, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> [DeviceMessage] {
        let clock = self.clock
        return try await explained(now: clock.now) { connection, verdicts in
            let device = try AppLookup(connection: connection, app: app.id).device(client, installation: installation)
            let deliveries = try connection.deviceDeliveries.list(
                of: device.id, app: app.id, before: cursor, limit: limit
            )
            var explained = Explained<[DeviceMessage]>(value: [], device: device)
            for delivery in deliveries {
                let row = try AppLookup(connection: connection, app: app.id).campaign(delivery.campaign)
                let (explanation, isOpen) = try Self.explanation(
                    row, device: device, delivery: delivery, verdicts, clock: clock, in: connection
                )
                explained.value.append(
                    DeviceMessage(
                        campaign: CampaignSummary(row.campaign), at: delivery.updatedAt, explanation: explanation
                    )
                )
                if isOpen { explained.open.insert(row.id) }
            }
            return explained
        }
    }

    /// What was explained, and of which campaigns the audience has to be asked for.
    private struct Explained<Value: Sendable>: Sendable {
        var value: Value
        var open: Set<CampaignID> = []
        let device: DeviceRow
    }

    /// Explains, and once more when audiences were asked for in between.
    private func explained<Value: Sendable>(
        now: Date, _ body: @escaping @Sendable (any SQLConnection, AudienceResults) throws -> Explained<Value>
    ) async throws -> Value {
        let first = try await database.read { try body($0, .none) }
        guard !first.open.isEmpty, let link = try await database.read({ try $0.devices.link(id: first.device.id) })
        else { return first.value }
        let verdicts = try await database.judge(first.open.sorted(), of: link, isFinal: true, now: now)
        return try await database.read { try body($0, verdicts) }.value
    }

    static func explanation(
        _ row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?, _ verdicts: AudienceResults,
        clock: ExplanationClock, in connection: any SQLConnection
    ) throws -> (value: Explanation, isOpen: Bool) {
        let inApp = try InAppDeliveryStatus(
            of: row, device: device, delivery: delivery, verdicts, now: clock.now, in: connection
        )
        if delivery == nil, let removedAt = row.ledgerRemovedAt, row.mayHaveHad(device) {
            let center = try MessageCenterDeliveryStatus(
                of: row.campaign, device: device, delivery: nil, in: connection
            )
            let steps = (inApp?.steps ?? []) + (center?.steps ?? [])
            return (Explanation(ledgerRemovedAt: removedAt, center: center, steps: steps, clock: clock), false)
        }
        // Of a dormant device nobody has to ask more: it is in no audience (FLEET-2).
        let isAbsent = delivery == nil && row.campaign.launchedAt != nil
        let isAway = try isAbsent && connection.dormantDevices.contains(device.id)
        if let inApp {
            let explanation = Explanation(row: row, delivery: delivery, inApp: inApp, clock: clock)
            return isAway ? (explanation.ofDormantDevice(), false) : (explanation, inApp.isOpen)
        }
        let center = try MessageCenterDeliveryStatus(
            of: row.campaign, device: device, delivery: delivery, in: connection
        )
        let explanation = Explanation(row: row, device: device, delivery: delivery, center: center, clock: clock)
        if isAway { return (explanation.ofDormantDevice(before: explanation.sentence), false) }
        guard delivery?.state == .pending, row.campaign.status == .sending,
            try connection.batches.isQuarantined(device: device.id, of: row.id)
        else { return (explanation, false) }
        return (explanation.inQuarantine, false)
    }
}

extension CampaignRow {
    /// Whether a device may have been in its ledger. One that was first seen after the launch got nothing but in-app messages.
    fileprivate func mayHaveHad(_ device: DeviceRow) -> Bool { isOfInApp || device.id <= planEnd }
}
