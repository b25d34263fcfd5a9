/// What became of accepted pushes.
struct DeliveryCounts: Sendable, Equatable {
    /// Handed to a device.
    var delivered = 0
    /// Kept for a device, for later or until it says that it has it.
    var kept = 0
    /// Of those, pushes whose place a newer one with the same collapse id took.
    var replaced = 0
    /// Lost: expired, not to be stored, crowded out, or more than a device took from its stream.
    var discarded = 0

    static func + (one: DeliveryCounts, other: DeliveryCounts) -> DeliveryCounts {
        DeliveryCounts(
            delivered: one.delivered + other.delivered,
            kept: one.kept + other.kept,
            replaced: one.replaced + other.replaced,
            discarded: one.discarded + other.discarded
        )
    }
}
