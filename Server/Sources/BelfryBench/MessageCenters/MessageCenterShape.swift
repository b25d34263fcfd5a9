import BelfryModel

/// The sizes in `belfry bench message-center`.
struct MessageCenterShape: Hashable, Sendable {
    let messages: Int
    let centers: Int
    /// The number of devices that fetch.
    let devices: Int

    /// The number of messages of each contact: all its message centers are full.
    var perContact: Int { centers * MessageCenterLimits.messagesPerCenter }
    var contacts: Int { messages / perContact }
}
