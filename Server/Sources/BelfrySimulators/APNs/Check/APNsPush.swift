/// A request with a valid head and payload. Whether the device accepts it is checked separately.
struct APNsPush: Sendable, Equatable {
    var token: DeviceTokenKey
    /// `apns-id`, if the provider gave one.
    var id: String?
    var topic: String
    /// `apns-push-type`, if the provider gave one.
    var pushType: APNsPushType?
    var priority: Int
    /// `apns-expiration` in seconds since 1970; 0: deliver now or never; nil: as long as the service stores.
    var expiration: Int?
    var collapseID: String?
    var payload: [UInt8]
}

/// The values of `apns-push-type` (Apple, "Sending notification requests to APNs").
public enum APNsPushType: String, Sendable, Codable, CaseIterable {
    /// Shows an alert, plays a sound or sets a badge.
    case alert
    /// Wakes the app without showing anything.
    case background
    /// Reloads a watchOS complication.
    case complication
    /// Reloads a control.
    case controls
    /// Tells a File Provider extension of changes.
    case fileprovider
    /// Starts, updates or ends a Live Activity.
    case liveactivity
    /// Asks for the person's location.
    case location
    /// Tells a managed device to contact its server.
    case mdm
    /// Push to talk.
    case pushtotalk
    /// An incoming call.
    case voip
    /// Reloads a widget.
    case widgets
}
