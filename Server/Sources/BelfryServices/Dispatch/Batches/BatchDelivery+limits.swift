import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// The limits that hold back due candidates: the campaign's rate limit and its frequency cap (CAMP-5).
extension BatchDelivery {
    /// The candidates that the rate limit allows now. The others stay pending, and no batch of the campaign is leased
    /// before the next message may be sent.
    func withinRate<Element: Sendable>(_ candidates: [Element], _ load: BatchContext) async throws -> [Element] {
        guard let rate = load.schedule?.ratePerSecond, !candidates.isEmpty else { return candidates }
        let now = pipeline.environment.now()
        let wanted = candidates.count
        let taken = try await pipeline.database.write { [batch] connection in
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

    /// The candidates that the frequency cap allows. Their messages count from now on, so that a simultaneous campaign
    /// sees them. The others get results. A retry is not checked again.
    func withinCap(
        _ candidates: [Candidate], _ load: BatchContext, _ results: inout [DeliveryResult]
    ) async throws -> [Candidate] {
        guard let cap = load.schedule?.frequencyCap, load.style == .alert, !candidates.isEmpty else {
            return candidates
        }
        let now = pipeline.environment.now()
        let devices = candidates.filter { $0.recipient.triedAt == nil }.map(\.recipient.device)
        guard !devices.isEmpty else { return candidates }
        let counts = try await pipeline.database.write { [batch] connection in
            let counts = try connection.frequencyCaps.recentCounts(
                of: batch.devices, listed: batch.listed, app: load.row.app, since: cap.windowStart(now: now),
                except: batch.campaign
            )
            try connection.frequencyCaps.reserve(
                devices.filter { cap.admits(count: counts[$0] ?? 0) }, campaign: batch.campaign, now: now
            )
            return counts
        }
        func isAdmitted(_ candidate: Candidate) -> Bool {
            candidate.recipient.triedAt != nil || cap.admits(count: counts[candidate.recipient.device] ?? 0)
        }
        results += candidates.filter { !isAdmitted($0) }.map { .suppressed($0.recipient, .frequencyCap) }
        return candidates.filter(isAdmitted)
    }
}
