extension APNsSimulator {
    /// What `apns-push-type` may say (Apple, "Sending notification requests to APNs").
    public enum PushType: String, Sendable, Codable, CaseIterable {
        /// Shows an alert, plays a sound or sets a badge.
        case alert
        /// Wakes the app without the person's notice.
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
}
