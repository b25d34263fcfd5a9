/// Which devices are served in the words of Mobile Engage v3, and a notification channel that their app has on
/// Android (WIRE-29). Those that were there before say so with their next call.
enum Version17ClientsOfV3 {
    static let migration = Migration(version: 17) { _ in
        [
            "ALTER TABLE devices ADD COLUMN v3_version TEXT",
            "ALTER TABLE devices ADD COLUMN v3_channel TEXT",
        ]
    }
}
