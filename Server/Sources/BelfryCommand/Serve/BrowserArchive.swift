import BelfryBrowser
import Foundation

/// The browser SDKs of the versions that have run on this data directory (WEB-1): a page names its version, and
/// continues to work after an upgrade of the server.
struct BrowserArchive {
    /// The maximum number of former versions that are served. The newest are kept.
    static let maximumVersions = 100
    /// The maximum size of all of them together, in bytes: they are held in memory.
    static let maximumBytes = 33_554_432
    /// The maximum size of one file, in bytes. A larger file was not written by this program.
    static let maximumFile = 262_144
    /// The maximum number of files of one version.
    static let maximumFiles = 100

    let folder: URL

    /// Writes the files of this version, unless they exist.
    func keep(_ sdk: BrowserSDK) throws {
        let own = folder.appending(path: sdk.version, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        for file in sdk.files {
            let place = own.appending(path: file.name)
            let bytes = Data(file.bytes)
            if (try? Data(contentsOf: place)) != bytes { try bytes.write(to: place, options: .atomic) }
        }
    }

    /// The SDKs of all versions other than this, newest first. Versions that cannot be read are left out.
    ///
    /// - Parameter bytes: the maximum size of all versions together. The first version that exceeds it ends the list.
    func others(than version: String, bytes: Int = maximumBytes) -> [BrowserSDK] {
        let versions = names(in: folder).filter { $0 != version && Self.isName($0) }.compactMap(VersionNumber.init)
        var found: [BrowserSDK] = []
        var left = bytes
        for version in versions.sorted(by: >) where found.count < Self.maximumVersions {
            guard let sdk = sdk(version.text) else { continue }
            left -= sdk.files.reduce(0) { $0 + $1.bytes.count }
            guard left >= 0 else { break }
            found.append(sdk)
        }
        return found
    }

    /// The SDK of one version; nil when the file that pages import is missing.
    private func sdk(_ version: String) -> BrowserSDK? {
        let sdk = BrowserSDK(version: version, sources: sources(in: folder.appending(path: version)))
        return sdk.file(BrowserSDK.module) == nil ? nil : sdk
    }

    private func sources(in folder: URL) -> [String: [UInt8]] {
        names(in: folder).filter(Self.isName).prefix(Self.maximumFiles).reduce(into: [:]) { sources, name in
            let place = folder.appending(path: name)
            guard let size = try? FileManager.default.attributesOfItem(atPath: place.path)[.size] as? Int,
                size <= Self.maximumFile, let bytes = try? Data(contentsOf: place)
            else { return }
            sources[name] = Array(bytes)
        }
    }

    private func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// Whether a name may be that of a version or a file. The temporary file of a crashed write has another form of
    /// name.
    private static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first != UInt8(ascii: ".") else { return false }
        return bytes.count <= 64
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
