import BelfryModel

/// The messages that a device gets, and those that it must remove, in one sync (WIRE-9, IAM-1, IAM-10).
struct InAppSelection: Hashable, Sendable {
    /// The state of a campaign that offers a device nothing, or nothing new.
    enum CampaignState: Hashable, Sendable {
        /// The campaign was recalled, or the server does not know the device's copy. The copy is removed.
        case recalled
        /// The campaign is active, but the device is no longer in its audience, or the new version cannot be rendered
        /// for it. The copy is removed unless it was shown.
        case excluded(wasShown: Bool)
        /// The new version cannot be rendered, and the old one is no longer valid. The copy is removed.
        case replaced
        /// The campaign is paused, deleted or cancelled, or it is unknown whether the device is in its audience. The
        /// device keeps its copy.
        case kept
        /// The campaign has ended. The device knows the end and removes its copy by itself.
        case ended
    }

    /// A version in ``held``: the device may have the message, in an unknown version. No campaign has this version, so
    /// an offered message is sent again, and a recalled one is removed.
    static let unknownVersion = 0

    /// The campaigns whose message is sent to the device, by number.
    let downloads: [CampaignID]
    /// The campaigns whose message the device removes.
    let recalled: [CampaignID]
    /// The versions that the device has afterwards.
    let held: [CampaignID: Int]

    /// - Parameters:
    ///   - held: the versions that the device has; empty if it does not report them.
    ///   - known: campaigns whose message was sent to the device once, so that it may have it.
    ///   - offered: the versions that the device should have.
    ///   - state: the state of every other campaign of `held` and `known`.
    init(
        held: [CampaignID: Int], known: Set<CampaignID> = [], offered: [CampaignID: Int],
        state: (CampaignID) -> CampaignState
    ) {
        downloads = offered.filter { held[$0.key] != $0.value }.keys.sorted()
        var recalled: [CampaignID] = []
        var others: [CampaignID: Int] = [:]
        for campaign in known.union(held.keys) where offered[campaign] == nil {
            switch state(campaign) {
            case .recalled, .excluded(wasShown: false), .replaced: recalled.append(campaign)
            case .excluded(wasShown: true), .kept: others[campaign] = held[campaign] ?? Self.unknownVersion
            case .ended: break
            }
        }
        self.recalled = recalled.sorted()
        let newest = others.sorted { $0.key > $1.key }.prefix(InAppCursor.maximumOthers)
        self.held = offered.merging(newest.map { ($0.key, $0.value) }) { offered, _ in offered }
    }
}
