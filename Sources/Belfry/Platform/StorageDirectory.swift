import Foundation

/// The directory that holds a client's files.
enum StorageDirectory {
    /// Makes the directory when it does not exist.
    ///
    /// On Apple's systems its files can be read from the first unlock after a start of the device on, also while it is
    /// locked again: a silent push must be able to record. And no back-up takes them: restored onto a second device,
    /// they would make two devices with one id.
    static func make(at url: URL) throws {
        #if canImport(UIKit)
            let attributes: [FileAttributeKey: Any]? = [
                .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication
            ]
        #else
            let attributes: [FileAttributeKey: Any]? = nil
        #endif
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
        #if canImport(UIKit) || canImport(AppKit)
            var directory = url
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // A volume that knows no such mark still holds the data.
            try? directory.setResourceValues(values)
        #endif
    }
}
