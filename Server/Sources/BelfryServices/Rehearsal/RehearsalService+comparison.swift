import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Compares rehearsals with the ledger (CON-13).
extension RehearsalService {
    /// How many rows of the ledger are read at a time.
    static let rowsAtOnce = 2_000
    /// A comparison that may still change is returned again for this many times the duration of its making, at most for
    /// `longestRest` seconds. So the ledger of a large campaign is read only now and then, however often the comparison
    /// is requested.
    static let rest: Double = 10
    static let longestRest: TimeInterval = 600

    /// - Parameter rows: how many rows of the ledger are read at a time.
    /// - Throws: a conflict if the campaign was never launched, or if the rehearsal is not done.
    package func comparison(
        _ number: Int64, of id: CampaignID, app: AppRecord, rows: Int = rowsAtOnce
    ) async throws -> RehearsalComparison {
        let begin = environment.now()
        let source = try await database.read { connection in
            try ComparisonSource(number, of: id, app: app, at: begin, in: connection)
        }
        if let given = source.given { return given }
        var tally = ComparisonTally()
        var named: [NamedDevice] = []
        var last: Int64 = 0
        while true {
            try Task.checkCancellation()
            let after = last
            let part = try await database.read { connection in
                try source.part(after: after, rows: rows, in: connection)
            }
            for entry in part.entries {
                guard let compared = entry.compared else {
                    tally.addEqual()
                    continue
                }
                let device = entry.device
                if tally.add(compared, named: device?.name, because: source.rule.cause(of: compared)), let device {
                    named.append(device)
                }
            }
            guard let next = part.next else { break }
            last = next
        }
        var comparison = source.comparison(tally)
        let took = environment.now().timeIntervalSince(begin)
        comparison.madeAt = environment.now()
        comparison.rest = min(max(took, 0) * Self.rest, Self.longestRest)
        return try await database.write(turn: .patient) { [comparison, named] connection in
            // Rows that were removed during the read would be missing in the stored comparison forever.
            if try connection.ledgerRetention.hasBegun(id.number) { throw ServiceError.ledgerRemoved(of: id) }
            var comparison = comparison
            let gone = try source.gone(among: named, in: connection)
            if !gone.isEmpty { comparison.forget(gone) }
            try connection.rehearsals.save(comparison: JSONText.encode(comparison), of: number)
            return comparison
        }
    }
}

/// A device that a comparison names.
private struct NamedDevice: Sendable {
    let name: String
    /// The device's contact when its part was read.
    let member: AudienceMember
    let isRehearsed: Bool
}

/// The data from which a comparison is made.
private struct ComparisonSource: Sendable {
    let row: RehearsalRow
    let figures: RehearsalFigures
    let campaign: CampaignID
    let outcomes: [DeliveryOutcome]
    let isFinal: Bool
    let rule: ComparisonRule
    /// The last comparison, if it is returned again.
    let given: RehearsalComparison?
    /// The state of the erasures when the read began.
    private let mark: ErasureMark

    init(
        _ number: Int64, of id: CampaignID, app: AppRecord, at now: Date, in connection: any SQLConnection
    ) throws {
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
        mark = try connection.erasures.mark(app: app.id)
        let kept = try row.comparison.map { try JSONText.decode(RehearsalComparison.self, $0) }
        let isRemoved = found.ledgerRemovedAt != nil
        if kept == nil, isRemoved { throw ServiceError.ledgerRemoved(of: id) }
        let isOver = [.completed, .cancelled].contains(found.campaign.status)
        let isFinal = try kept?.isFinal == true || isOver && !connection.deliveries.arePending(of: id)
        self.isFinal = isFinal
        given = kept.flatMap { isRemoved || $0.isFinal || $0.mayBeGivenAgain(at: now, final: isFinal) ? $0 : nil }
        // If the last comparison is returned again, the ledger is not read.
        outcomes = try given == nil ? connection.figures.outcomes(of: id) : []
        let launch = row.launchAt ?? launchedAt
        rule = ComparisonRule(
            rehearsedAt: row.startedAt ?? row.requestedAt,
            isSameTime: abs(launchedAt.timeIntervalSince(launch)) <= ComparisonRule.tolerance
                && found.retriesFrom.map { $0 == launchedAt } ?? true,
            isSameDraft: try DraftVersion(found.campaign.draft).text == row.version
        )
    }

    struct Entry: Sendable {
        /// The device's data for the difference; nil for a device with the rehearsed outcome.
        let compared: ComparedDevice?
        let device: NamedDevice?
    }

    /// The named devices that an erasure since the start of the read may concern: the erasure did not find them here. A
    /// device that had left the erased person stays named, and is removed from the rehearsal.
    func gone(among named: [NamedDevice], in connection: any SQLConnection) throws -> Set<String> {
        guard try connection.erasures.mayHaveGoneOn(since: mark, app: row.app) else { return [] }
        let moved = try connection.erasures.moved(named.map(\.member))
        let gone = try named.filter { device in
            try moved.contains(device.member.device)
                || device.isRehearsed && connection.rehearsals.find(device.member.device, in: row.id) == nil
        }
        return Set(gone.map(\.name))
    }

    /// The next entries after a device. It never reads more rows of the ledger than the limit, however many devices
    /// were rehearsed.
    func part(
        after device: Int64, rows limit: Int, in connection: any SQLConnection
    ) throws -> (entries: [Entry], next: Int64?) {
        let rehearsals = connection.rehearsals
        let page = try rehearsals.pages(of: row.id, after: device, limit: 1).first
        let end = page?.devices.last?.device
        let ledger = try rehearsals.ledger(of: campaign, devices: (device + 1)...(end ?? .max), limit: limit)
        let isWhole = ledger.count < limit
        guard let reached = isWhole ? end : ledger.last?.device else {
            return (try entries([], ledger, in: connection), nil)
        }
        let rehearsed = page?.devices.filter { $0.device > device && $0.device <= reached } ?? []
        return (try entries(rehearsed, ledger, in: connection), reached)
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
        let equal = Array(repeating: Entry(compared: nil, device: nil), count: pairs.count - others.count)
        return equal
            + others.compactMap { pair in
                let person = people[pair.device]
                // A device that was erased since is only a number in the ledger.
                if pair.rehearsed == nil, person == nil { return nil }
                return Entry(
                    compared: ComparedDevice(
                        rehearsed: pair.rehearsed, came: pair.came, consent: person?.consent, tokenAt: person?.tokenAt
                    ),
                    device: person.map { person in
                        NamedDevice(
                            name: person.client.rawValue,
                            member: AudienceMember(device: person.device, contact: person.contact),
                            isRehearsed: pair.rehearsed != nil
                        )
                    }
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
