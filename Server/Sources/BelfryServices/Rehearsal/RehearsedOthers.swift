import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// The other campaigns in virtual time, by the very rules that send them: what of them has reached the devices of a page
/// counts against its caps (CAMP-5).
struct RehearsedOthers: Sendable {
    private struct Other: Sendable {
        let campaign: CampaignID
        /// Without the cap: whom it holds back has had a turn like everybody else.
        var rounds: RehearsedRounds
        let cap: FrequencyCap?
        let isRated: Bool
        var devices = 0
    }

    /// One notification that would leave, unless the cap of its campaign says otherwise.
    private struct Send {
        let at: Date
        /// The place of its campaign among the others.
        let other: Int
        /// A retry is not checked again.
        let isRetry: Bool
    }

    private var others: [Other] = []

    /// - Parameters:
    ///   - loads: the campaigns, the first to begin first.
    ///   - now: the moment of the rehearsal; nothing that is pending leaves before it.
    init(_ loads: [BatchContext], accounts: PushAccounts, tagKey: SymmetricKey, now: Date) {
        others = loads.map { load in
            Other(
                campaign: load.row.id,
                rounds: RehearsedRounds(
                    load, accounts: accounts.rehearsed(for: load).accounts, tagKey: tagKey, from: now, isCapped: false
                ),
                cap: load.schedule?.frequencyCap, isRated: load.schedule?.ratePerSecond != nil
            )
        }
    }

    /// Adds to a page when its devices get the notifications of the others. On each device they are decided about in the
    /// order of their moments: each cap counts what came before.
    mutating func play(_ input: inout RehearsalInput) {
        guard !others.isEmpty else { return }
        let rehearsed = Set(input.recipients.map(\.device))
        var sends: [Int64: [Send]] = [:]
        for (index, recipients) in input.others.enumerated() {
            others[index].devices += recipients.count
            var ends: [Int64: Date] = [:]
            for delivery in others[index].rounds.play(RehearsalInput(recipients: recipients, reached: input.reached))
            where delivery.outcome.state != .pending && rehearsed.contains(delivery.recipient.device) {
                ends[delivery.recipient.device] = delivery.at
                guard delivery.outcome == .accepted else { continue }
                let send = Send(at: delivery.at, other: index, isRetry: delivery.recipient.triedAt != nil)
                sends[delivery.recipient.device, default: []].append(send)
            }
            // What waits for a retry counts since its first attempt, until it leaves and counts as of then.
            for (device, date) in input.reserved[others[index].campaign] ?? [:] where rehearsed.contains(device) {
                input.pushes[device, default: []].append(CountedPush(at: date, until: ends[device]))
            }
        }
        for (device, own) in sends {
            var pushes = input.pushes[device] ?? []
            for send in own.sorted(by: { ($0.at, $0.other) < ($1.at, $1.other) }) {
                let cap = send.isRetry ? nil : others[send.other].cap
                if cap?.admits(pushes, now: send.at) ?? true { pushes.append(CountedPush(at: send.at)) }
            }
            input.pushes[device] = pushes
        }
    }

    /// What it says in one way, and may come in another.
    var warnings: [String] {
        others.filter { $0.isRated && $0.devices > CampaignPlanner.batchSize }.map { other in
            """
            Campaign \(other.campaign) sends at a limited rate to many devices. Which of them have got it at a given time, and \
            so have reached their frequency cap, is estimated by the order of registration. The real order may differ.
            """
        }
    }
}
