/// How the app set the client up.
package struct V3Settings: Hashable, Sendable {
    package var flavour: V3Flavour
    package var app: String
    /// The `Host` header: name and port.
    package var host: String
    package var mode = "production"
    /// An older or newer client than the flavour's.
    package var sdkVersion: String?
    package var merchantID: String?
    /// Events go to version 4 unless the vendor's remote configuration says otherwise.
    package var usesEventServiceV4 = true
    /// Writes `push_token` and `contact_token`, as the vendor's prose does; its clients write hyphens.
    package var usesUnderscores = false
    /// Whether the client believes that it talks to its vendor: its traffic is routed here. Else it was built with this
    /// server's address, and two things differ. iOS merges its events, and tells of paused in-app messages, of what was
    /// seen and of what was pressed, only towards the vendor's own host: here each event is a request of its own. Android
    /// remembers only there that its properties arrived: here it says them at each start.
    package var isOnVendorHost = false
    /// The id of an installation that was made by an older client; nil: a new one has a UUID.
    package var clientID: String?

    /// Whether events that wait leave together.
    var mergesEvents: Bool { flavour == .android || isOnVendorHost }

    package init(flavour: V3Flavour, app: String, host: String) {
        self.flavour = flavour
        self.app = app
        self.host = host
    }
}
