import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What holds candidates back though their time has come: the campaign's frequency cap and its rate limit (CAMP-5).
extension BatchDelivery {
    /// Those whom the cap admits; from now on their message counts, so that of two campaigns at the same time one sees
    /// the other. The others get verdicts.
    func withinCap(
        _ candidates: [Candidate], _ load: RoundLoad, _ verdicts: inout [Verdict]
    ) async throws -> [Candidate] {
        guard let cap = load.schedule?.frequencyCap, load.style == .alert, !candidates.isEmpty else {
            return candidates
        }
        let now = environment.now()
        let devices = candidates.map(\.recipient.device)
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
            cap.admits(count: counts[candidate.recipient.device] ?? 0)
        }
        verdicts += candidates.filter { !isAdmitted($0) }.map { .suppressed($0.recipient, .frequencyCap) }
        return candidates.filter(isAdmitted)
    }

    /// As many as the rate limit lets leave now, and when the others may.
    func withinRate(
        _ candidates: [Candidate], _ load: RoundLoad
    ) async throws -> (candidates: [Candidate], next: Date?) {
        guard let rate = load.schedule?.ratePerSecond, !candidates.isEmpty else { return (candidates, nil) }
        let now = environment.now()
        let wanted = candidates.count
        let (taken, next) = try await database.write { [batch] connection in
            var allowance = RateAllowance(
                perSecond: rate, nextUnit: try connection.campaigns.rateUnit(of: batch.campaign)
            )
            let taken = allowance.take(upTo: wanted, at: now)
            if taken > 0 { try connection.campaigns.save(rateUnit: allowance.nextUnit, of: batch.campaign) }
            return (taken, allowance.nextDate(after: now))
        }
        return (Array(candidates.prefix(taken)), taken < wanted ? next : nil)
    }
}
