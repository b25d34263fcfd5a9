import BelfryStore
import Foundation

extension Housekeeping {
    /// Removes the ledgers of campaigns that ended longer ago than the app's term (LED-3). Each ledger is summed up for
    /// the last time and then removed as a whole.
    func removeLedgers(now: Date) async throws -> Int {
        let terms = try await database.read { connection in
            try connection.apps.all().compactMap { app -> (app: Int64, term: TimeInterval)? in
                guard let days = app.settings.deliveryRetentionDays else { return nil }
                // Ledgers that a frequency cap needs are kept (CAMP-5).
                let capped = try connection.ledgerRetention.longestCap(app: app.id)
                return (app.id, max(TimeInterval(days) * 86_400, capped))
            }
        }
        for (app, term) in terms { try await beginRemoval(ofLedgersOf: app, term: term, now: now) }
        var count = 0
        var last: Int64 = 0
        // This includes apps that now keep their ledgers for good: a ledger whose removal has begun is no longer
        // complete.
        while let campaign = try await database.read({ [last] in try $0.ledgerRetention.next(after: last) }) {
            count += try await removeLedger(of: campaign)
            last = campaign
        }
        return count
    }

    /// Marks the campaigns whose ledgers are to be removed. Before that, a campaign is summed up again unless that was
    /// done recently and after its term: devices may have reported more since. When an app gets its first term, there
    /// may be years of such campaigns, and summing all of them up would delay the figures of those that are sending. So
    /// only some are summed up each day.
    private func beginRemoval(ofLedgersOf app: Int64, term: TimeInterval, now: Date) async throws {
        let moment = now.addingTimeInterval(-term)
        let lately = now.addingTimeInterval(-Self.ageOfSums)
        var position = LapsedPosition.start
        var asked = 0
        while true {
            try Task.checkCancellation()
            let found = try await database.read { [position] in
                try $0.ledgerRetention.lapsed(app: app, before: moment, after: position, limit: Self.campaigns)
            }
            let summed = found.filter { ledger in
                let since = max(ledger.endedAt.addingTimeInterval(term), lately)
                return ledger.summedAt.map { $0 >= since } ?? false
            }
            let going = summed.filter { !$0.hasPending }.map(\.campaign)
            let known = Set(summed)
            let unsummed = found.filter { !known.contains($0) }.prefix(Self.campaigns - asked)
            asked += unsummed.count
            let toSum = unsummed.map(\.campaign) + summed.filter(\.hasPending).map(\.campaign)
            if !going.isEmpty || !toSum.isEmpty {
                let noteProgress = progress(.ledgers)
                try await database.write(turn: .patient) { connection in
                    for campaign in going { try connection.ledgerRetention.begin(campaign, now: now) }
                    for campaign in toSum { try connection.ledgerRetention.askForSums(of: campaign) }
                    try noteProgress(connection)
                }
            }
            guard let next = found.last, found.count == Self.campaigns else { return }
            position = next.position
        }
    }

    private func removeLedger(of campaign: Int64) async throws -> Int {
        var (count, device) = (0, Int64(0))
        while true {
            try Task.checkCancellation()
            let last = try await database.read { [device] in
                try $0.statistics.lastDevice(of: campaign, after: device, limit: Self.batch)
            }
            let noteProgress = progress(.ledgers)
            guard let last else {
                try await database.write(turn: .patient) { connection in
                    try connection.ledgerRetention.end(campaign)
                    try noteProgress(connection)
                }
                return count
            }
            let removed = try await database.write(turn: .patient) { [device] connection -> Int in
                try noteProgress(connection)
                return try connection.ledgerRetention.delete(of: campaign, devices: (device + 1)...last)
            }
            count += removed
            device = last
        }
    }
}
