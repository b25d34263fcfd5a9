import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

extension DeviceRow {
    /// Neither the app nor the system has said no.
    var isEnabled: Bool { pushEnabled != false && osPushEnabled != false }

    /// A v3 client tells the system's answer with its properties; a snapshot, once there is one, knows better.
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
    /// Whose words a push to it is written in: those of the client that calls (WIRE-29). A channel that was said before
    /// stays.
    mutating func take(_ caller: V3Caller?, channel: String? = nil) {
        v3 = caller.map { V3Client(version: $0.version, channel: channel ?? v3?.channel) }
    }
}

extension SystemProperties {
    /// What anybody may say who knows a device's id: the platform decides by which service it is reached.
    var withoutPlatform: SystemProperties {
        var result = self
        result.platform = nil
        return result
    }

    /// What is absent stays as it was.
    func updated(by other: SystemProperties) -> SystemProperties {
        SystemProperties(
            timeZone: other.timeZone ?? timeZone, locale: other.locale ?? locale,
            platform: other.platform ?? platform, osVersion: other.osVersion ?? osVersion,
            appVersion: other.appVersion ?? appVersion, sdkVersion: other.sdkVersion ?? sdkVersion,
            deviceModel: other.deviceModel ?? deviceModel
        )
    }
}
