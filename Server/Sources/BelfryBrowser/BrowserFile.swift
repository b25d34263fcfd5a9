import Crypto
import Foundation

/// One file of the browser SDK.
package struct BrowserFile: Hashable, Sendable {
    package let name: String
    package let bytes: [UInt8]
    /// The hash of the file for a page's `integrity` attribute (W3C Subresource Integrity).
    package let integrity: String

    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        integrity = "sha384-" + Data(SHA384.hash(data: bytes)).base64EncodedString()
    }

    package var contentType: String {
        if isScript { return "text/javascript; charset=utf-8" }
        return isPage ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"
    }

    /// Whether pages load the file as a script. The other files are HTML pages, and type declarations for developers.
    package var isScript: Bool { name.utf8.reversed().starts(with: ".js".utf8.reversed()) }

    /// Whether the file is an HTML page, which is shown in a frame.
    package var isPage: Bool { name.utf8.reversed().starts(with: ".html".utf8.reversed()) }
}
