/// How the app set the client up.
package struct V3Settings: Hashable, Sendable {
    package var flavour: V3Flavour
    package var app: String
    /// The `Host` header: name and port.
    package var host: String
    package var mode = "production"
    package var merchantID: String?
    /// Events go to version 4 unless the vendor's remote configuration says otherwise.
    package var usesEventServiceV4 = true
    /// Writes `push_token` and `contact_token`, as the vendor's prose does; its clients write hyphens.
    package var usesUnderscores = false
    /// Android remembers that its properties arrived only when the vendor's own host took them: on another one it says
    /// them again at each start.
    package var isOnVendorHost = true

    package init(flavour: V3Flavour, app: String, host: String) {
        self.flavour = flavour
        self.app = app
        self.host = host
    }
}
