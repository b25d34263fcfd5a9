import Foundation

/// The directory that holds a client's files.
enum StorageDirectory {
    /// Creates the directory if it does not exist, and makes it inaccessible to other users of the machine.
    ///
    /// On Apple's systems its files can be read from the first unlock after a restart of the device on, even when it is
    /// locked again, because a silent push must be able to record. They are excluded from back-ups: restored on a
    /// second device, they would make two devices with one id.
    static func make(at url: URL) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        #if canImport(UIKit)
            attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
        #endif
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // Also for a directory that existed before. If it belongs to another user, its permissions stay.
        try? FileManager.default.setAttributes(attributes, ofItemAtPath: url.path)
        #if canImport(UIKit) || canImport(AppKit)
            var directory = url
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            // A volume without this attribute can still store the data.
            try? directory.setResourceValues(values)
        #endif
    }
}
