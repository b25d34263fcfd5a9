import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

extension DeviceRow {
    /// Whether neither the app nor the system has disabled pushes.
    var isEnabled: Bool { pushEnabled != false && osPushEnabled != false }

    /// A v3 client sends the system's permission with its properties. If the device has sent a snapshot, the snapshot
    /// counts instead.
    mutating func takeConsent(fromProperties osPushEnabled: Bool?, now: Date) {
        guard revision == 0, let osPushEnabled else { return }
        let before = isEnabled
        self.osPushEnabled = osPushEnabled
        guard optOut?.reason != .user else { return }
        optOut = ConsentRules.optOut(
            after: .init(
                current: optOut, wasEnabled: before, pushEnabled: pushEnabled, osPushEnabled: osPushEnabled
            ),
            now: now
        )
    }
}

extension DeviceRow {
    /// Notes which kind of client calls, because pushes to it use that client's format (WIRE-29). A known channel is
    /// kept if the call names none.
    mutating func take(_ caller: V3Caller?, channel: String? = nil) {
        v3 = caller.map { V3Client(version: $0.version, channel: channel ?? v3?.channel) }
    }
}

extension SystemProperties {
    /// The properties that a caller may set who only knows the device's id. The platform is not one of them: it decides
    /// which push service reaches the device.
    var withoutPlatform: SystemProperties {
        var result = self
        result.platform = nil
        return result
    }

    /// The properties with those of the update. A property that is absent there keeps its value.
    func updated(by other: SystemProperties) -> SystemProperties {
        SystemProperties(
            timeZone: other.timeZone ?? timeZone, locale: other.locale ?? locale,
            platform: other.platform ?? platform, osVersion: other.osVersion ?? osVersion,
            appVersion: other.appVersion ?? appVersion, sdkVersion: other.sdkVersion ?? sdkVersion,
            deviceModel: other.deviceModel ?? deviceModel
        )
    }
}
