import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

/// How far a campaign is, for who follows it.
struct CampaignProgress: Hashable, Sendable {
    let campaign: String
    let status: CampaignStatus
    let scheduledAt: String?
    let counts: CampaignCounts
    /// Whether it sends silent pushes, of which a device gets a few an hour (PUSH-7).
    let isSilent: Bool
    /// When the time of its pushes is over, if that is known.
    let endsAt: Date?

    init(_ answer: CampaignResponse) {
        campaign = answer.id
        status = answer.status
        scheduledAt = answer.scheduledAt
        counts = answer.counts
        isSilent = answer.kind == .silent
        // At a local time each recipient's begins at another moment.
        let ttl = answer.schedule?.localAt == nil ? answer.push?.ttlSeconds : nil
        let end = ttl.flatMap { seconds in
            answer.launchedAt.flatMap { Timestamp.date($0) }?.addingTimeInterval(Double(seconds))
        }
        endsAt = [answer.schedule?.expiresAt, end].compactMap(\.self).min()
    }

    /// Whether more will happen without anybody's doing.
    var goesOn: Bool { status == .scheduled || status == .sending }

    /// Of the audience, how many have their final state, in percent.
    ///
    /// While a campaign goes on it is never whole: its audience may still be growing.
    var percent: Int {
        if status == .completed { return 100 }
        guard counts.audience > 0 else { return 0 }
        let ended = counts.audience - min(max(counts.pending, 0), counts.audience)
        // Whatever a server counts: a hundred times as many may be more than a number holds, their share never is.
        let share = counts.audience.dividingFullWidth(ended.multipliedFullWidth(by: 100)).quotient
        return goesOn ? min(share, 99) : share
    }

    /// `540000 pending, 450000 accepted, 10000 suppressed`; of those that are final, only what there is.
    var figures: String {
        if status == .scheduled { return scheduledAt.map { "starts at \($0)" } ?? "starts soon" }
        let ends = [
            (counts.suppressed, "suppressed"), (counts.rejected, "rejected"), (counts.cancelled, "cancelled"),
        ]
        let all = [(counts.pending, "pending"), (counts.accepted, "accepted")] + ends.filter { $0.0 > 0 }
        return all.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + budget
    }

    /// Why a silent campaign may go on for long, and until when.
    private var budget: String {
        guard isSilent, status == .sending, counts.pending > 0 else { return "" }
        let end = endsAt.map { ", until \(Timestamp.text($0)) at the latest" } ?? ""
        return "; a device gets at most 3 silent pushes an hour, so some may wait\(end)"
    }

    /// For a log: `Campaign 12 is sending: 45 %, 540000 pending, 450000 accepted`.
    var line: String {
        let share = status == .scheduled ? "" : "\(percent) %, "
        return "Campaign \(campaign) is \(status.rawValue): \(share)\(figures)"
    }

    /// Whether a log should tell it after what it told last: another status, or another tenth of the way.
    func isNews(after last: CampaignProgress?) -> Bool {
        guard let last else { return true }
        return status != last.status || percent / 10 != last.percent / 10
    }
}

/// Follows a campaign for as long as it goes on by itself.
struct CampaignWatch {
    /// Between two looks.
    static let interval: Duration = .seconds(1)

    /// Asks the server where the campaign stands.
    let read: () async throws -> CampaignResponse
    /// Waits between two looks.
    let rest: () async throws -> Void

    /// - Returns: where it stands in the end.
    func run(on display: ProgressDisplay) async throws -> CampaignResponse {
        var display = display
        while true {
            let answer = try await read()
            let progress = CampaignProgress(answer)
            display.show(progress)
            guard progress.goesOn else {
                display.end()
                return answer
            }
            try await rest()
        }
    }
}
