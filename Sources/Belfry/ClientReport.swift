import BelfryModel
import BelfryRules

/// A report for the app's developer that no call could return.
public enum ClientReport: Hashable, Sendable {
    /// The server rejected the registration; it is retried after the next edit, or in a day (REG-6).
    case registrationRefused(CallFailure)
    /// The server did not apply these fields of the contact record: in most cases attributes that are not defined for
    /// the app, or whose values have another type (REG-25). Each is reported once; those of the newest registration are
    /// in ``ClientState/Registration/rejected``.
    case attributesRejected([RejectedField])
    /// A setter of an edit, or `identify`, refused what the app passed, such as an attribute with a reserved word for
    /// its key, and changed nothing. It is reported although the call returned it, because its result can be discarded
    /// (REG-8, REG-10). An edit reports each reason once, and at most 16.
    case editRefused(ValueError)
    /// The server refused to link the device to a contact.
    case linkRefused(CallFailure)
    /// The server refused the push token.
    case pushTokenRefused(CallFailure)
    /// The system gave no push token, and is asked again (REG-30). The app forwards it
    /// (`didFailToRegisterForRemoteNotifications(error:)`).
    case pushRegistrationFailed(PushRegistrationFailure)
    /// The server refused the device's properties.
    case propertiesRefused(CallFailure)
    /// The server rejects all events, or too many in a row; they stay in the queue.
    case eventsRefused(CallFailure)
    /// The server rejected only these events, or their contact is no longer known (`contactUnknown`, ID-7). They are
    /// dead letters, no longer in the queue (EVT-4).
    case eventsSetAside(count: Int, reason: String)
    /// These events were dropped because of the queue's limits, oldest first (EVT-5).
    case eventsDropped(count: Int, reason: DropReason)
    /// A push was for another person and was neither shown nor recorded (ID-4).
    case pushDropped(PushDropReason)
    /// An address in a message is not opened: its scheme is not in ``InAppOptions/linkSchemes``, or is never allowed
    /// (IAM-12).
    case inAppLinkRefused(campaignID: String)
    /// The server lost the link that an OpenID token had proven, and the token is not stored. The device is anonymous
    /// until ``BelfryClient/identify(openIDToken:)`` is called again (ID-3).
    case openIDTokenNeeded
    /// The server erased the person. The device has removed all data and is suspended (REG-36). It is reported again at
    /// each start without `afterErasure`.
    case erased
    /// The storage failed while the client was working; it will retry.
    case storageFailed(BelfryError)
    /// A call that the app does not wait for failed, and not because of the storage.
    case callFailed(BelfryError)
}

/// Why a push from Belfry was dropped.
public enum PushDropReason: String, Hashable, Sendable, Codable {
    /// It is for a person who used the device before.
    case formerContact
    /// The client is suspended: it was wiped, or its person erased, and it was not started since.
    case resting
}

/// The limit of the queue for which events were dropped.
public enum DropReason: String, Hashable, Sendable, Codable {
    /// The number or the size of the events.
    case queueFull
    /// The age of the events.
    case tooOld
}
