/// Which of the vendor's two clients is simulated. They use one protocol, with differences that a server must support.
package enum V3Flavour: String, Hashable, Sendable, CaseIterable {
    case ios
    case android

    var sdkVersion: String {
        switch self {
        case .ios: "3.10.2"
        case .android: "3.11.0"
        }
    }

    /// The client's description of an ordinary device whose owner allows notifications.
    package var deviceInfo: JSON {
        switch self {
        case .ios: Self.iPhone
        case .android: Self.pixel
        }
    }

    private static let iPhone: JSON = [
        "platform": "ios", "applicationVersion": "1.2.3", "deviceModel": "iPhone14,2", "osVersion": "17.4",
        "sdkVersion": "3.10.2", "language": "en", "timezone": "+0100",
        "pushSettings": [
            "authorizationStatus": "authorized", "soundSetting": "enabled", "badgeSetting": "enabled",
            "alertSetting": "enabled", "notificationCenterSetting": "enabled", "lockScreenSetting": "enabled",
            "carPlaySetting": "notSupported", "alertStyle": "banner", "showPreviewsSetting": "always",
            "criticalAlertSetting": "notSupported", "providesAppNotificationSettings": false,
            "scheduledDeliverySetting": "notSupported", "timeSensitiveSetting": "enabled",
        ],
    ]

    private static let pixel: JSON = [
        "platform": "android", "applicationVersion": "unknown", "deviceModel": "Pixel 7", "osVersion": "14",
        "sdkVersion": "3.11.0", "language": "en-US", "timezone": "+0200",
        "pushSettings": [
            "areNotificationsEnabled": true, "importance": .integer(-1000),
            "channelSettings": [
                [
                    "channelId": "news", "importance": 3, "canShowBadge": true, "canBypassDnd": false,
                    "shouldVibrate": false, "shouldShowLights": false,
                ]
            ],
        ],
    ]
}
