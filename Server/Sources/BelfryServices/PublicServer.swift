/// The server's public address and version, as websites refer to it (WEB-1).
package struct PublicServer: Hashable, Sendable {
    /// The address at which browsers reach the server. Nil when it is not configured.
    package let address: String?
    /// The program's version.
    package let version: String

    package init(address: String?, version: String) {
        self.address = address
        self.version = version
    }
}
