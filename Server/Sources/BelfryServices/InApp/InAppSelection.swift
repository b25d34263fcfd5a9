import BelfryModel

/// What a device gets and what is taken from it at one sync (WIRE-9, IAM-1, IAM-10).
struct InAppSelection: Hashable, Sendable {
    /// How a campaign stands to a device that it offers nothing, or nothing new.
    enum Standing: Hashable, Sendable {
        /// It is called back, or nobody knows what the copy is.
        case recalled
        /// It goes on, and the device is not in its audience any more, or its new version cannot be made for it.
        case left(wasShown: Bool)
        /// The message it was cannot be made anew, and the old one is no longer meant.
        case replaced
        /// It is paused, deleted or cancelled, or nobody knows whether the device is in its audience: what a device has
        /// goes on.
        case still
        /// Its time is over: the device knows that by itself.
        case over
    }

    /// In ``held``: the device may have the message, in a version that nobody knows. No campaign has this one, so the
    /// message is sent when it is offered, and taken back when it is recalled.
    static let unknownVersion = 0

    /// Those whose message the device is sent, in the order of their numbers.
    let downloads: [CampaignID]
    /// Those whose message it is to remove.
    let recalled: [CampaignID]
    /// The versions that it has afterwards.
    let held: [CampaignID: Int]

    /// - Parameters:
    ///   - held: the versions that the device has; none when it says nothing of it.
    ///   - known: what it may have all the same: the server knows that it was sent it once.
    ///   - offered: the versions that it is to have.
    ///   - standing: of every other campaign of `held` and `known`.
    init(
        held: [CampaignID: Int], known: Set<CampaignID> = [], offered: [CampaignID: Int],
        standing: (CampaignID) -> Standing
    ) {
        downloads = offered.filter { held[$0.key] != $0.value }.keys.sorted()
        var recalled: [CampaignID] = []
        var others: [CampaignID: Int] = [:]
        for campaign in known.union(held.keys) where offered[campaign] == nil {
            switch standing(campaign) {
            case .recalled, .left(wasShown: false), .replaced: recalled.append(campaign)
            case .left(wasShown: true), .still: others[campaign] = held[campaign] ?? Self.unknownVersion
            case .over: break
            }
        }
        self.recalled = recalled.sorted()
        let newest = others.sorted { $0.key > $1.key }.prefix(InAppCursor.maximumOthers)
        self.held = offered.merging(newest.map { ($0.key, $0.value) }) { offered, _ in offered }
    }
}
