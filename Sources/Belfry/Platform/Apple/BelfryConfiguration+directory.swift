#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation

    extension BelfryConfiguration {
        /// The usual storage directory of an app's client: a folder of its own in the app's Application Support folder.
        ///
        /// It is not in the container of an app group, because iOS kills an app that holds a lock there when it is
        /// suspended.
        ///
        /// - Parameter name: the name of the folder; each client of an app needs its own.
        /// - Throws: ``BelfryError/Code/storageUnavailable`` when the system has no such folder.
        public static func standardDirectory(named name: String = "Belfry") throws(BelfryError) -> URL {
            let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
            guard let support = folders.first else {
                throw BelfryError(
                    .storageUnavailable, "The system has no Application Support folder.", field: "directory")
            }
            // Outside the sandbox all apps of a Mac share the folder.
            let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
            return support.appendingPathComponent(app, isDirectory: true)
                .appendingPathComponent(name, isDirectory: true)
        }
    }
#endif
