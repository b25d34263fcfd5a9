import BelfryRules

/// Something that the app's developer should know and that no call could return.
public enum ClientReport: Hashable, Sendable {
    /// The server refused the registration for good; it is tried again after the next edit, or in a day (REG-6).
    case registrationRefused(CallFailure)
    /// The server refused to link the device to a contact.
    case linkRefused(CallFailure)
    /// The server refused the push token.
    case pushTokenRefused(CallFailure)
    /// The server refused the device's properties.
    case propertiesRefused(CallFailure)
    /// The server refuses events altogether; they stay in the queue.
    case eventsRefused(CallFailure)
    /// The server refused these events alone; they left the queue and are kept aside (EVT-4).
    case eventsSetAside(count: Int, reason: String)
    /// The queue's limits made these events go, oldest first (EVT-5).
    case eventsDropped(count: Int, reason: DropReason)
    /// The storage failed while the client was at work; it tries again.
    case storageFailed(BelfryError)
}

/// Which limit of the queue made events go.
public enum DropReason: String, Hashable, Sendable, Codable {
    /// The count or the bytes.
    case queueFull
    /// The age.
    case tooOld
}
