import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A rehearsal beside the ledger (CON-13).
extension RehearsalService {
    /// Rows of the ledger that are read at once behind the last rehearsed device.
    private static let rowsAtOnce = 2_000

    /// - Throws: a conflict when the campaign was never launched, or the rehearsal is not done.
    package func comparison(
        _ number: Int64, of id: CampaignID, app: AppRecord
    ) async throws -> RehearsalComparison {
        let source = try await database.read { connection in
            try ComparisonSource(number, of: id, app: app, in: connection)
        }
        if let kept = source.kept { return kept }
        var tally = ComparisonTally()
        var last: Int64 = 0
        while true {
            try Task.checkCancellation()
            let after = last
            let part = try await database.read { connection in
                try source.part(after: after, rows: Self.rowsAtOnce, in: connection)
            }
            for entry in part.entries {
                guard let compared = entry.compared else {
                    tally.addEqual()
                    continue
                }
                tally.add(compared, named: entry.name, because: source.rule.cause(of: compared))
            }
            guard let next = part.next else { break }
            last = next
        }
        let comparison = source.comparison(tally)
        guard comparison.isFinal else { return comparison }
        let text = try JSONText.encode(comparison)
        try await database.write(turn: .patient) { try $0.rehearsals.save(comparison: text, of: number) }
        return comparison
    }
}

/// What a comparison begins with.
private struct ComparisonSource: Sendable {
    let row: RehearsalRow
    let figures: RehearsalFigures
    let campaign: CampaignID
    let outcomes: [DeliveryOutcome]
    let isFinal: Bool
    let rule: ComparisonRule
    /// One that was made when nothing could change any more.
    let kept: RehearsalComparison?

    init(_ number: Int64, of id: CampaignID, app: AppRecord, in connection: any SQLConnection) throws {
        row = try RehearsalLookup(connection: connection, app: app).rehearsal(number, of: id)
        guard row.status == .done, let figures = row.figures else {
            throw ServiceError.conflict(message: "Rehearsal \(number) is \(row.status.rawValue): it has found nothing.")
        }
        let found = try AppLookup(connection: connection, app: app.id).campaign(id)
        guard let launchedAt = found.campaign.launchedAt else {
            throw ServiceError.conflict(
                code: "notLaunched",
                message: "Campaign \(id) was not launched: there is nothing to compare its rehearsal with."
            )
        }
        self.figures = figures
        campaign = id
        outcomes = try connection.deliveries.outcomes(of: id)
        isFinal =
            [.completed, .cancelled].contains(found.campaign.status) && !outcomes.contains { $0.state == .pending }
        let launch = row.launchAt ?? launchedAt
        rule = ComparisonRule(
            rehearsedAt: row.startedAt ?? row.requestedAt,
            isSameTime: abs(launchedAt.timeIntervalSince(launch)) <= ComparisonRule.tolerance
                && found.retriesFrom.map { $0 == launchedAt } ?? true,
            isSameDraft: try DraftVersion(found.campaign.draft).text == row.version
        )
        kept = try row.comparison.map { try JSONText.decode(RehearsalComparison.self, $0) }
    }

    struct Entry: Sendable {
        /// Nil for a device that ended as was rehearsed.
        let compared: ComparedDevice?
        let name: String?
    }

    /// The devices of the next page, or what follows the last one.
    func part(
        after device: Int64, rows limit: Int, in connection: any SQLConnection
    ) throws -> (entries: [Entry], next: Int64?) {
        let rehearsals = connection.rehearsals
        if let page = try rehearsals.pages(of: row.id, after: device, limit: 1).first,
            let end = page.devices.last?.device
        {
            let ledger = try rehearsals.ledger(of: campaign, devices: (device + 1)...end)
            return (try entries(page.devices, ledger, in: connection), end)
        }
        let rest = try rehearsals.ledger(of: campaign, devices: (device + 1)...Int64.max, limit: limit)
        return (try entries([], rest, in: connection), rest.count < limit ? nil : rest.last?.device)
    }

    private func entries(
        _ rehearsed: [RehearsedDevice], _ ledger: [RehearsalRepository.LedgerEntry], in connection: any SQLConnection
    ) throws -> [Entry] {
        let came = Dictionary(ledger.map { ($0.device, $0) }) { first, _ in first }
        let known = Set(rehearsed.map(\.device))
        var pairs: [(device: Int64, rehearsed: RehearsedOutcome?, came: RehearsedOutcome?)] = rehearsed.map {
            (device: $0.device, rehearsed: outcome($0.outcome), came: came[$0.device].flatMap(\.outcome))
        }
        for entry in ledger where !known.contains(entry.device) {
            pairs.append((device: entry.device, rehearsed: nil, came: entry.outcome))
        }
        let others = pairs.filter { !ComparisonRule.isEqual($0.rehearsed, $0.came) }
        let people = Dictionary(
            try connection.recipients.find(others.map(\.device)).map { ($0.device, $0) }
        ) { first, _ in first }
        let equal = Array(repeating: Entry(compared: nil, name: nil), count: pairs.count - others.count)
        return equal
            + others.compactMap { pair in
                let person = people[pair.device]
                // Who was erased since is in the ledger as a number alone.
                if pair.rehearsed == nil, person == nil { return nil }
                return Entry(
                    compared: ComparedDevice(
                        rehearsed: pair.rehearsed, came: pair.came, consent: person?.consent, tokenAt: person?.tokenAt
                    ), name: person?.client.rawValue
                )
            }
    }

    private func outcome(_ number: Int) -> RehearsedOutcome? {
        figures.outcomes.indices.contains(number) ? figures.outcomes[number].outcome : nil
    }

    func comparison(_ tally: ComparisonTally) -> RehearsalComparison {
        var comparison = RehearsalComparison()
        comparison.equal = tally.equal
        comparison.differences = tally.sorted
        comparison.isFinal = isFinal
        var rehearsed: [RehearsedOutcome: Int] = [:]
        for entry in figures.outcomes { rehearsed[entry.outcome, default: 0] += entry.count }
        var came: [RehearsedOutcome: Int] = [:]
        for entry in outcomes {
            came[RehearsedOutcome(state: entry.state, reason: entry.reason), default: 0] += entry.count
        }
        comparison.lines = Set(rehearsed.keys).union(came.keys).map { outcome in
            RehearsalComparison.Line(
                outcome: outcome, rehearsed: rehearsed[outcome] ?? 0, came: came[outcome] ?? 0
            )
        }.sorted { one, other in
            (max(other.rehearsed, other.came), one.outcome.state.rawValue, one.outcome.reason?.rawValue ?? "")
                < (max(one.rehearsed, one.came), other.outcome.state.rawValue, other.outcome.reason?.rawValue ?? "")
        }
        return comparison
    }
}

extension RehearsalRepository.LedgerEntry {
    fileprivate var outcome: RehearsedOutcome? {
        DeliveryState(rawValue: state).map {
            RehearsedOutcome(state: $0, reason: reason.map(DeliveryReason.init(rawValue:)))
        }
    }
}
