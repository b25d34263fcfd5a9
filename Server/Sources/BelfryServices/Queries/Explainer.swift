import BelfryModel
import BelfryStore
import Foundation

/// The result of one campaign at a device.
package struct DeviceMessage: Hashable, Sendable {
    package let campaign: CampaignSummary
    /// When the device's row in the campaign's ledger was last written.
    package let at: Date
    package let explanation: Explanation
}

/// Answers "why did this person (not) get it?" in one call (LED-2).
package struct Explainer: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// How its sentences write points in time.
    private var text: @Sendable (Date) -> String = { Timestamp.text($0) }

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// A copy whose sentences write points in time with this function: in the app's time zone, for people.
    package func telling(_ text: @escaping @Sendable (Date) -> String) -> Explainer {
        var explainer = self
        explainer.text = text
        return explainer
    }

    /// The time of the question, with the function that writes other times.
    var clock: ExplanationClock { ExplanationClock(now: environment.now(), text: text) }

    /// - Parameter installation: the number of one of the installations with this id; nil for the one that is meant
    ///   when people name the id (WIRE-20).
    package func explain(
        _ id: CampaignID, device client: String, installation: Int64? = nil, app: AppRecord
    ) async throws -> Explanation {
        let found = try await find(id, app: app, on: [client]) { try $0.device($1, installation: installation) }
        let explanations = try await completed(found.compactMap(\.self), app: app)
        guard let explanation = explanations.first else {
            throw ServiceError.notFound(what: "device", id: String(client.prefix(64)))
        }
        return explanation
    }

    /// The explanation for each device, before the parts of its audience are evaluated; nil for a device that no longer
    /// exists. The campaign is read only once, because its content may be long (SEC-2).
    ///
    /// - Parameter device: finds a device; it is called for each of them in each attempt.
    func find<Sought: Sendable>(
        _ id: CampaignID, app: AppRecord, on sought: [Sought],
        _ device: @escaping @Sendable (AppLookup, Sought) throws -> DeviceRow?
    ) async throws -> [Found?] {
        let clock = self.clock
        return try await explained(app: app.id, now: clock.now) { connection, results -> [Explained<Found>?] in
            let lookup = AppLookup(connection: connection, app: app.id)
            let row = try lookup.campaign(id)
            var audience = InAppAudience(of: app.id, now: clock.now, in: connection)
            return try sought.map { sought -> Explained<Found>? in
                guard let device = try device(lookup, sought) else { return nil }
                let delivery = try connection.deliveries.find(campaign: id, device: device.id)
                let (explanation, isOpen) = try Self.explanation(
                    row, device: device, delivery: delivery, results[device.id] ?? AudienceResults.none, &audience,
                    clock: clock, in: connection
                )
                let outside =
                    explanation.isOutside
                    ? DeviceOutside(device: device.id, audience: row.campaign.draft.audience) : nil
                return Explained(
                    value: Found(explanation: explanation, outside: outside), open: isOpen ? [id] : [],
                    device: device.id
                )
            }
        }
    }

    /// The explanations, completed with the parts of the audience for each device that the audience left out.
    func completed(_ all: [Found], app: AppRecord) async throws -> [Explanation] {
        var explanations = all.map(\.explanation)
        let outside = all.enumerated().compactMap { index, found in found.outside.map { (index: index, device: $0) } }
        let parts = try await AudienceEvidence(database: database)
            .parts(of: outside.map(\.device), app: app, now: clock.now)
        for (one, audience) in zip(outside, parts) { explanations[one.index].audience = audience }
        return explanations
    }

    /// An explanation from one database snapshot, and what still has to be evaluated for it.
    struct Found: Sendable {
        let explanation: Explanation
        let outside: DeviceOutside?
    }

    /// The campaigns that had the device in their audience, newest first.
    ///
    /// - Parameters:
    ///   - installation: the number of one of the installations with this id; nil for the one that is meant when people
    ///     name the id (WIRE-20).
    ///   - cursor: the number of the campaign before which the list continues.
    package func messages(
        of client: String, installation: Int64? = nil, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> [DeviceMessage] {
        let clock = self.clock
        let pages = try await explained(
            app: app.id, now: clock.now
        ) { connection, results -> [Explained<[DeviceMessage]>?] in
            let lookup = AppLookup(connection: connection, app: app.id)
            let device = try lookup.device(client, installation: installation)
            var audience = InAppAudience(of: app.id, now: clock.now, in: connection)
            let deliveries = try connection.deviceDeliveries.list(
                of: device.id, app: app.id, before: cursor, limit: limit
            )
            var explained = Explained<[DeviceMessage]>(value: [], device: device.id)
            for delivery in deliveries {
                let row = try lookup.campaign(delivery.campaign)
                let (explanation, isOpen) = try Self.explanation(
                    row, device: device, delivery: delivery, results[device.id] ?? AudienceResults.none, &audience,
                    clock: clock, in: connection
                )
                explained.value.append(
                    DeviceMessage(
                        campaign: CampaignSummary(row.campaign), at: delivery.updatedAt, explanation: explanation
                    )
                )
                if isOpen { explained.open.insert(row.id) }
            }
            return [explained]
        }
        return pages.compactMap(\.self).first ?? []
    }

    /// The explanations for a device, and the campaigns whose audience still has to be evaluated.
    private struct Explained<Value: Sendable>: Sendable {
        var value: Value
        var open: Set<CampaignID> = []
        let device: Int64
    }

    /// Explains, and explains again after audiences had to be evaluated.
    ///
    /// - Parameter body: gets the results of the evaluated audiences, by device number.
    private func explained<Value: Sendable>(
        app: Int64, now: Date,
        _ body: @escaping @Sendable (any SQLConnection, [Int64: AudienceResults]) throws -> [Explained<Value>?]
    ) async throws -> [Value?] {
        let first = try await database.read { try body($0, [:]) }
        var results: [Int64: AudienceResults] = [:]
        let campaigns = AskedCampaigns()
        for one in first.compactMap(\.self) where !one.open.isEmpty {
            let (device, open) = (one.device, one.open.sorted())
            guard let link = try await database.read({ try $0.devices.link(id: device) }) else { continue }
            results[device] = try await database.judge(of: link, isFinal: true, now: now) {
                try campaigns.rows(of: open, app: app, clock: $1, in: $0)
            }
        }
        guard !results.isEmpty else { return first.map { $0?.value } }
        return try await database.read { [results] in try body($0, results) }.map { $0?.value }
    }

    /// - Parameter audience: evaluates the audiences of the campaign's app.
    static func explanation(
        _ row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?, _ results: AudienceResults,
        _ audience: inout InAppAudience, clock: ExplanationClock, in connection: any SQLConnection
    ) throws -> (value: Explanation, isOpen: Bool) {
        let inApp = try InAppDeliveryStatus(
            of: row, device: device, delivery: delivery, results, &audience, in: connection
        )
        if delivery == nil, let removedAt = row.ledgerRemovedAt, row.mayHaveHad(device) {
            let center = try MessageCenterDeliveryStatus(
                of: row.campaign, device: device, delivery: nil, in: connection
            )
            let steps = (inApp?.steps ?? []) + (center?.steps ?? [])
            return (Explanation(ledgerRemovedAt: removedAt, center: center, steps: steps, clock: clock), false)
        }
        // No audience is evaluated for a dormant device: it is in none (FLEET-2).
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
    /// Whether a device may have been in the campaign's ledger. A device that was first seen after the launch can only
    /// have got in-app messages.
    fileprivate func mayHaveHad(_ device: DeviceRow) -> Bool { isOfInApp || device.id <= planEnd }
}
