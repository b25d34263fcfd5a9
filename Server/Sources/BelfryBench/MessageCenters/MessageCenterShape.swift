import BelfryModel

/// How many there are of everything in `belfry bench message-center`.
struct MessageCenterShape: Hashable, Sendable {
    let messages: Int
    let centers: Int
    /// Those that fetch.
    let devices: Int

    /// Messages that each contact has: all its centers are full.
    var perContact: Int { centers * MessageCenterLimits.messagesPerCenter }
    var contacts: Int { messages / perContact }
}
