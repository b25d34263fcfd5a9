/// The browser SDK of one version (WEB-1): the files of the folder `Browser`, compiled into the program.
package struct BrowserSDK: Sendable {
    /// The file that a page imports.
    package static let module = "belfry.js"
    /// The file that a website's service worker imports.
    package static let worker = "belfry-worker.js"
    /// The path under which the SDK is served, before its version.
    package static let path = "/sdk"

    package let version: String
    /// The files, sorted by name.
    package let files: [BrowserFile]

    /// - Parameters:
    ///   - version: the program's version.
    ///   - sources: the contents of the files by name.
    package init(version: String, sources: [String: [UInt8]] = BrowserSources.all) {
        self.version = version
        files = sources.sorted { $0.key < $1.key }.map { BrowserFile(name: $0.key, bytes: $0.value) }
    }

    package func file(_ name: String) -> BrowserFile? {
        files.first { $0.name == name }
    }
}
