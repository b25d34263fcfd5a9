import Foundation

/// The directory that holds a client's files.
enum StorageDirectory {
    /// Makes the directory when it does not exist, and closes it to the other users of the machine.
    ///
    /// On Apple's systems its files can be read from the first unlock after a start of the device on, also while it is
    /// locked again: a silent push must be able to record. And no back-up takes them: restored onto a second device,
    /// they would make two devices with one id.
    static func make(at url: URL) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        #if canImport(UIKit)
            attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
        #endif
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // Also one that was there before. One that is another's stays as its owner wants it.
        try? FileManager.default.setAttributes(attributes, ofItemAtPath: url.path)
        #if canImport(UIKit) || canImport(AppKit)
            var directory = url
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // A volume that knows no such mark still holds the data.
            try? directory.setResourceValues(values)
        #endif
    }
}
