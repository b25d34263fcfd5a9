/// The browser SDK of one version (WEB-1): the files of the folder `Browser`, compiled in.
package struct BrowserSDK: Sendable {
    /// What a page imports.
    package static let module = "belfry.js"
    /// What a service worker of a website imports.
    package static let worker = "belfry-worker.js"
    /// Where it is served, before its version.
    package static let path = "/sdk"

    package let version: String
    /// By their names.
    package let files: [BrowserFile]

    /// - Parameters:
    ///   - version: the program's.
    ///   - sources: by their names.
    package init(version: String, sources: [String: [UInt8]] = BrowserSources.all) {
        self.version = version
        files = sources.sorted { $0.key < $1.key }.map { BrowserFile(name: $0.key, bytes: $0.value) }
    }

    package func file(_ name: String) -> BrowserFile? {
        files.first { $0.name == name }
    }
}
