/// How many there are of everything in `belfry bench fleet`.
struct FleetShape: Hashable, Sendable {
    /// Events of each device beside the opening itself.
    static let eventsOfOpening = 10
    static let inAppCampaigns = 10
    private static let mostCallers = 1_000
    private static let operationsOfCount = 1_000

    let devices: Int
    /// With a campaign each; 0 without a sink.
    let days: Int
    /// Of each kind after the week.
    let operations: Int

    /// Devices that fetch and sync in turn.
    var callers: Int { min(devices, Self.mostCallers) }
    /// Counts are few: each looks at all devices.
    var counts: Int { max(operations / Self.operationsOfCount, 1) }
}
