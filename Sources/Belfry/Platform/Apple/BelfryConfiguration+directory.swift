#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation

    extension BelfryConfiguration {
        /// The container of an app group, for ``appGroupDirectory``.
        ///
        /// - Parameter group: the group's id, such as `group.com.example.shop`; the app and its extension have the
        ///   capability "App Groups" with it.
        /// - Throws: ``BelfryError/Code/invalidConfiguration`` when the app does not belong to the group.
        public static func appGroupDirectory(_ group: String) throws(BelfryError) -> URL {
            guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
                throw BelfryError(
                    .invalidConfiguration,
                    "The app does not belong to the app group '\(group)'. Add the capability App Groups with it.",
                    field: "appGroupDirectory"
                )
            }
            return url
        }

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
