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
    /// The server refuses events altogether, or too many in a row; they stay in the queue.
    case eventsRefused(CallFailure)
    /// The server refused these events alone, or nobody knows any more for whom they were tracked (`contactUnknown`,
    /// ID-7). They left the queue and are kept aside (EVT-4).
    case eventsSetAside(count: Int, reason: String)
    /// The queue's limits made these events go, oldest first (EVT-5).
    case eventsDropped(count: Int, reason: DropReason)
    /// A push was meant for somebody else and was neither shown nor recorded (ID-4).
    case pushDropped(PushDropReason)
    /// A message leads to an address that is not opened: its scheme is none of ``InAppOptions/linkSchemes``, or one that
    /// is always refused (IAM-12).
    case inAppLinkRefused(campaignID: String)
    /// The server forgot the link that an OpenID token had proven, and the token is not kept: the device is anonymous
    /// until ``BelfryClient/identify(openIDToken:)`` is called again (ID-3).
    case openIDTokenNeeded
    /// The server erased the person. The device has forgotten everything and stays quiet (REG-36). Told again at each
    /// start that keeps it so.
    case erased
    /// The storage failed while the client was at work; it tries again.
    case storageFailed(BelfryError)
    /// Something that the app forwarded was not taken, and not because of the storage.
    case callFailed(BelfryError)
}

/// Why a push of ours was not taken.
public enum PushDropReason: String, Hashable, Sendable, Codable {
    /// It is for a person who used the device before.
    case formerContact
    /// The client was wiped, or its person erased, and was not started since.
    case resting
}

/// Which limit of the queue made events go.
public enum DropReason: String, Hashable, Sendable, Codable {
    /// The count or the bytes.
    case queueFull
    /// The age.
    case tooOld
}
