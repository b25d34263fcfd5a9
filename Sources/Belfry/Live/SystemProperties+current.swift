import BelfryModel
import Foundation

extension SystemProperties {
    /// The properties of this machine.
    ///
    /// - Parameters:
    ///   - appVersion: the app's version, as the app names it.
    ///   - deviceModel: the device's model, when it is known.
    public static func current(appVersion: String? = nil, deviceModel: String? = nil) -> SystemProperties {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return SystemProperties(
            timeZone: TimeZone.current.identifier,
            locale: Locale.current.identifier,
            platform: platformName,
            osVersion: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
            appVersion: appVersion,
            sdkVersion: BelfryVersion.sdk,
            deviceModel: deviceModel
        )
    }

    private static var platformName: String {
        #if os(iOS)
            "ios"
        #elseif os(macOS)
            "macos"
        #else
            "linux"
        #endif
    }
}
