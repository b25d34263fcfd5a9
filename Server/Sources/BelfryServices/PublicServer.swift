/// The server as websites refer to it (WEB-1).
package struct PublicServer: Hashable, Sendable {
    /// The address under which browsers reach it; nil: nobody has said.
    package let address: String?
    /// The program's version.
    package let version: String

    package init(address: String?, version: String) {
        self.address = address
        self.version = version
    }
}
