/// The sizes in `belfry bench fleet`.
struct FleetShape: Hashable, Sendable {
    /// The number of events per device at an app open, in addition to the opening itself.
    static let eventsOfOpening = 10
    static let inAppCampaigns = 10
    private static let mostCallers = 1_000
    private static let operationsOfCount = 1_000

    let devices: Int
    /// The number of days, each with a campaign; 0 without a sink.
    let days: Int
    /// The number of operations of each kind after the week.
    let operations: Int

    /// The number of devices that fetch and sync in turn.
    var callers: Int { min(devices, Self.mostCallers) }
    /// The number of audience counts. It is small, because each count reads all devices.
    var counts: Int { max(operations / Self.operationsOfCount, 1) }
}
