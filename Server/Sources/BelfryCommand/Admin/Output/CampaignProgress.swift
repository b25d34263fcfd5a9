import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

/// How far a campaign is, for a person who follows it.
struct CampaignProgress: Hashable, Sendable {
    let campaign: String
    let status: CampaignStatus
    let scheduledAt: String?
    let counts: CampaignCounts
    /// Whether the campaign sends silent pushes. A device gets only a few of them per hour (PUSH-7).
    let isSilent: Bool
    /// When its pushes expire, if that is known.
    let endsAt: Date?

    init(_ response: CampaignResponse) {
        campaign = response.id
        status = response.status
        scheduledAt = response.scheduledAt
        counts = response.counts
        isSilent = response.kind == .silent
        // With a local time, each recipient's pushes expire at a different time.
        let ttl = response.schedule?.localAt == nil ? response.push?.ttlSeconds : nil
        let end = ttl.flatMap { seconds in
            response.launchedAt.flatMap { Timestamp.date($0) }?.addingTimeInterval(Double(seconds))
        }
        endsAt = [response.schedule?.expiresAt, end].compactMap(\.self).min()
    }

    /// Whether the campaign continues without anybody's action.
    var continues: Bool { status == .scheduled || status == .sending }

    /// The share of the audience that has a final state, in percent.
    ///
    /// It stays below 100 while the campaign continues, because the audience may still grow.
    var percent: Int {
        if status == .completed { return 100 }
        guard counts.audience > 0 else { return 0 }
        let ended = counts.audience - min(max(counts.pending, 0), counts.audience)
        // Multiplies in double width: a hundred times a count from a server may overflow, but the share cannot.
        let share = counts.audience.dividingFullWidth(ended.multipliedFullWidth(by: 100)).quotient
        return continues ? min(share, 99) : share
    }

    /// For example `540000 pending, 450000 accepted, 10000 suppressed`. Final states with a count of zero are left out.
    var figures: String {
        if status == .scheduled { return scheduledAt.map { "starts at \($0)" } ?? "starts soon" }
        let ends = [
            (counts.suppressed, "suppressed"), (counts.rejected, "rejected"), (counts.cancelled, "cancelled"),
        ]
        let all = [(counts.pending, "pending"), (counts.accepted, "accepted")] + ends.filter { $0.0 > 0 }
        return all.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + budget
    }

    /// Why a silent campaign may take long, and when it ends.
    private var budget: String {
        guard isSilent, status == .sending, counts.pending > 0 else { return "" }
        let end = endsAt.map { ", until \(Timestamp.text($0)) at the latest" } ?? ""
        return "; a device gets at most 3 silent pushes an hour, so some may wait\(end)"
    }

    /// A log line such as `Campaign 12 is sending: 45 %, 540000 pending, 450000 accepted`.
    var line: String {
        let share = status == .scheduled ? "" : "\(percent) %, "
        return "Campaign \(campaign) is \(status.rawValue): \(share)\(figures)"
    }

    /// Whether a log should report this after the last line: the status has changed, or another tenth is done.
    func isNews(after last: CampaignProgress?) -> Bool {
        guard let last else { return true }
        return status != last.status || percent / 10 != last.percent / 10
    }
}

/// Follows a campaign for as long as it continues by itself.
struct CampaignWatch {
    /// The time between two requests.
    static let interval: Duration = .seconds(1)

    /// Requests the campaign's state from the server.
    let read: () async throws -> CampaignResponse
    /// Waits between two requests.
    let rest: () async throws -> Void

    /// - Returns: the campaign's state at the end.
    func run(on display: ProgressDisplay) async throws -> CampaignResponse {
        var display = display
        while true {
            let response = try await read()
            let progress = CampaignProgress(response)
            display.show(progress)
            guard progress.continues else {
                display.end()
                return response
            }
            try await rest()
        }
    }
}
