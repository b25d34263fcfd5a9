/// `POST /client` (WIRE-1): the device's properties, in the format of Mobile Engage v3.
public struct ClientProperties: Hashable, Sendable, Codable {
    public var platform: String?
    public var applicationVersion: String?
    public var deviceModel: String?
    public var osVersion: String?
    public var sdkVersion: String?
    public var language: String?
    /// `+0100`, or an IANA name.
    public var timezone: String?
    public var pushSettings: PushSettings?

    /// The part of the platform's notification settings that consent depends on; other keys are ignored.
    public struct PushSettings: Hashable, Sendable, Codable {
        /// iOS: `authorized`, `denied`, `provisional`, `notDetermined`, `ephemeral`.
        public var authorizationStatus: String?
        /// Android.
        public var areNotificationsEnabled: Bool?
        /// Android from version 8 on: the app's notification channels.
        public var channelSettings: [Channel]?

        public init(
            authorizationStatus: String? = nil, areNotificationsEnabled: Bool? = nil,
            channelSettings: [Channel]? = nil
        ) {
            self.authorizationStatus = authorizationStatus
            self.areNotificationsEnabled = areNotificationsEnabled
            self.channelSettings = channelSettings
        }
    }

    /// A notification channel; other keys are ignored.
    public struct Channel: Hashable, Sendable, Codable {
        public var channelId: String
        /// Android's number, from 0 (blocked) to 5; -1000 when it is not specified.
        public var importance: Int?

        public init(channelId: String, importance: Int? = nil) {
            self.channelId = channelId
            self.importance = importance
        }
    }

    public init(
        platform: String? = nil,
        applicationVersion: String? = nil,
        deviceModel: String? = nil,
        osVersion: String? = nil,
        sdkVersion: String? = nil,
        language: String? = nil,
        timezone: String? = nil,
        pushSettings: PushSettings? = nil
    ) {
        self.platform = platform
        self.applicationVersion = applicationVersion
        self.deviceModel = deviceModel
        self.osVersion = osVersion
        self.sdkVersion = sdkVersion
        self.language = language
        self.timezone = timezone
        self.pushSettings = pushSettings
    }
}
