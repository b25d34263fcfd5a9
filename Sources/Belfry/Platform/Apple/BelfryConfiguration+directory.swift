#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation

    extension BelfryConfiguration {
        /// Where the client of an app stores by custom: a folder of its own in the app's Application Support folder.
        ///
        /// Not in the container of an app group: iOS ends an app that holds a lock there when it is suspended.
        ///
        /// - Parameter name: the folder's; each client of an app needs one of its own.
        /// - Throws: ``BelfryError/Code/storageUnavailable`` when the system names no such folder.
        public static func standardDirectory(named name: String = "Belfry") throws(BelfryError) -> URL {
            let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
            guard let support = folders.first else {
                throw BelfryError(
                    .storageUnavailable, "The system names no Application Support folder.", field: "directory")
            }
            // Outside the sandbox a Mac's apps share the folder.
            let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
            return support.appendingPathComponent(app, isDirectory: true)
                .appendingPathComponent(name, isDirectory: true)
        }
    }
#endif
