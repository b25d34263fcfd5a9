import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What holds candidates back though their time has come: the campaign's rate limit, and its frequency cap (CAMP-5).
extension BatchDelivery {
    /// As many as the rate limit lets leave now; the others stay pending, and nothing of the campaign is lent before the
    /// next may leave.
    func withinRate<Element: Sendable>(_ candidates: [Element], _ load: RoundLoad) async throws -> [Element] {
        guard let rate = load.schedule?.ratePerSecond, !candidates.isEmpty else { return candidates }
        let now = environment.now()
        let wanted = candidates.count
        let taken = try await database.write { [batch] connection in
            var allowance = RateAllowance(
                perSecond: rate, nextUnit: try connection.campaigns.rateUnit(of: batch.campaign)
            )
            let taken = allowance.take(upTo: wanted, at: now)
            try connection.campaigns.save(
                rateUnit: allowance.nextUnit, next: allowance.nextDate(after: now), of: batch.campaign
            )
            return taken
        }
        return Array(candidates.prefix(taken))
    }

    /// Those whom the cap admits; from now on their message counts, so that of two campaigns at the same time one sees
    /// the other. The others get verdicts. What has left once is not judged anew.
    func withinCap(
        _ candidates: [Candidate], _ load: RoundLoad, _ verdicts: inout [Verdict]
    ) async throws -> [Candidate] {
        guard let cap = load.schedule?.frequencyCap, load.style == .alert, !candidates.isEmpty else {
            return candidates
        }
        let now = environment.now()
        let devices = candidates.filter { $0.recipient.triedAt == nil }.map(\.recipient.device)
        guard !devices.isEmpty else { return candidates }
        let counts = try await database.write { [batch] connection in
            let counts = try connection.deliveries.recentCounts(
                of: batch.devices, app: load.row.app, since: cap.windowStart(now: now), except: batch.campaign
            )
            try connection.deliveries.reserve(
                devices.filter { cap.admits(count: counts[$0] ?? 0) }, campaign: batch.campaign, now: now
            )
            return counts
        }
        func isAdmitted(_ candidate: Candidate) -> Bool {
            candidate.recipient.triedAt != nil || cap.admits(count: counts[candidate.recipient.device] ?? 0)
        }
        verdicts += candidates.filter { !isAdmitted($0) }.map { .suppressed($0.recipient, .frequencyCap) }
        return candidates.filter(isAdmitted)
    }
}
