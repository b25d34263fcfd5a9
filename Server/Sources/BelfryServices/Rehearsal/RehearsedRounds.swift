import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Simulates the rounds of a campaign, with the same types that decide when it is really sent (CON-12): selection,
/// schedule, cap, message center, silent budget, and the requests themselves. Nothing is written or sent.
///
/// A page has fewer devices than a batch, and duplicate push tokens are found only within a page.
struct RehearsedRounds: Sendable {
    /// The most turns of one page: enough for a slow rate over many nights of quiet hours.
    static let maximumTurns = 5_000

    private let load: BatchContext
    /// Nothing is sent before this time.
    private let start: Date
    private(set) var requests: RehearsedRequests
    private var center: MessageCenterMessageBuilder?
    private var rate: RehearsedRate?
    private let cap: FrequencyCap?

    /// - Parameters:
    ///   - load: the campaign as it will be when it has started.
    ///   - accounts: accounts that build requests without sending any.
    ///   - now: the time of the rehearsal, for a campaign that has started before.
    ///   - isCapped: whether the campaign's cap applies.
    init(
        _ load: BatchContext, accounts: [PushProvider: PushAccounts.AccountState], tagKey: SymmetricKey,
        from now: Date? = nil, isCapped: Bool = true
    ) {
        self.load = load
        let start = max(load.launchedAt, now ?? load.launchedAt)
        self.start = start
        requests = RehearsedRequests(load, accounts: accounts, tagKey: tagKey, start: start)
        center = load.center == nil ? nil : MessageCenterMessageBuilder(load)
        // A campaign that has started continues from its present rate.
        rate = load.row.allowance.map { RehearsedRate(perSecond: $0.perSecond, start: $0.nextDate(after: start)) }
        cap = isCapped && load.style == .alert ? load.schedule?.frequencyCap : nil
    }

    /// The campaign's outcome for each recipient of a page, in the order of device numbers.
    mutating func play(_ input: RehearsalInput) -> [RehearsedDelivery] {
        var page = RehearsedPage(input.recipients, launch: start)
        var turns = 0
        while let date = page.nextDate {
            turns += 1
            guard turns <= Self.maximumTurns else {
                page.abandon(at: date)
                break
            }
            if let rate {
                playRated(&page, input, from: rate.free(from: date))
            } else {
                _ = round(page.takeDue(by: date), of: &page, input, at: date)
            }
        }
        return page.ended.sorted { $0.recipient.device < $1.recipient.device }
    }

    /// Handles one recipient after the other, each when the rate limit allows it, until another recipient's turn comes.
    private mutating func playRated(
        _ page: inout RehearsedPage, _ input: RehearsalInput, from date: Date
    ) {
        var now = date
        let due = page.takeDue(by: now)
        for (index, recipient) in due.enumerated() {
            let next = rate?.free(from: now) ?? now
            if index > 0, let other = page.nextDate, other <= next { return page.putBack(due[index...]) }
            now = next
            if round([recipient], of: &page, input, at: now) > 0 { rate?.take(now) }
        }
    }

    /// - Returns: how many of the recipients count toward the rate limit.
    private mutating func round(
        _ recipients: [Recipient], of page: inout RehearsedPage, _ input: RehearsalInput, at now: Date
    ) -> Int {
        var load = load
        load.recipients = recipients
        var counted = 0
        if center != nil {
            counted = place(&load, of: &page, at: now)
            guard !load.isPlacing else { return counted }
        }
        var selection = CandidateSelection(load, now: now)
        let (candidates, results) = selection.candidates()
        for result in results { page.settle(result, at: now) }
        for candidate in candidates {
            if let result = result(on: candidate, load, input, at: now) {
                page.settle(result, at: now)
            } else {
                page.accept(candidate.recipient.device, at: now)
            }
        }
        return candidates.count
    }

    /// Places messages first, regardless of the pushes (MC-16).
    private mutating func place(_ load: inout BatchContext, of page: inout RehearsedPage, at now: Date) -> Int {
        var selection = CandidateSelection(load, now: now)
        let (placements, results) = selection.placements()
        for result in results { page.settle(result, at: now) }
        let (kept, unmakeable) = center?.kept(placements) ?? (kept: [], results: [])
        for result in unmakeable { page.settle(result, at: now) }
        for entry in kept {
            page.place(entry.placement.recipient.device, hasMessage: entry.message != nil)
            // The message counts as accepted, regardless of its badge push (LED-1).
            if load.isPlacing { page.accept(entry.placement.recipient.device, at: now) }
        }
        load.recipients = load.recipients.filter(\.isPlaced) + kept.map(\.placement.recipient)
        return placements.count
    }

    /// The result for a candidate; nil if its push is sent now.
    private mutating func result(
        on candidate: Candidate, _ load: BatchContext, _ input: RehearsalInput, at now: Date
    ) -> DeliveryResult? {
        let recipient = candidate.recipient
        if let cap, !cap.admits(input.pushes[recipient.device] ?? [], now: now) {
            return .suppressed(recipient, .frequencyCap)
        }
        var along: SilentPushReasons?
        if load.style == .silent {
            var state = input.silentPushes[recipient.device] ?? SilentPushState()
            let turn = state.take(
                for: load.row.id, dueSince: candidate.timing.start, merges: load.saysNothing, at: now
            )
            if let held = turn.result(for: candidate) { return held }
            along = turn.along
        }
        return requests.flaw(of: candidate, along: along).map { DeliveryResult.after($0, load, jitter: { 0 }) }
    }
}
