/// Which devices use the Mobile Engage v3 API, and the notification channel of their app on Android (WIRE-29). Existing
/// devices report this with their next call.
enum Version17ClientsOfV3 {
    static let migration = Migration(version: 17) { _ in
        [
            "ALTER TABLE devices ADD COLUMN v3_version TEXT",
            "ALTER TABLE devices ADD COLUMN v3_channel TEXT",
        ]
    }
}
