import BelfryModel

/// Scans a registration's body without decoding it: a plain snapshot can be stored unchanged (PERF-5). A body that is
/// not plain, or not valid, goes to the decoder.
struct SnapshotScan {
    /// Each name is compared with all others. Up to this number, that is faster than decoding.
    private static let maximumAttributes = 64
    private static let maximumTags = RegistrationSnapshot.maximumEntries

    private(set) var deviceID: String?
    private(set) var registrationID: String?
    private(set) var revision: Int64?
    private var saysPushEnabled = false
    private var seen: Set<String> = []

    /// Nil for a body that must be decoded.
    init?(_ bytes: [UInt8]) {
        do {
            var reader = try JSONReader(bytes)
            var scan = SnapshotScan()
            try reader.object { reader, key throws(JSONError) in
                guard scan.seen.insert(key).inserted, try scan.take(key, &reader) else { throw Self.notPlain }
            }
            try reader.end()
            guard scan.deviceID != nil, scan.registrationID != nil, scan.revision != nil, scan.saysPushEnabled else {
                return nil
            }
            self = scan
        } catch {
            return nil
        }
    }

    private init() {}

    private static let notPlain = JSONError.unexpected(field: "", expected: "a plain snapshot")

    private mutating func take(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch key {
        case "deviceId":
            deviceID = try reader.string()
        case "registrationId":
            registrationID = try reader.string()
        case "revision":
            revision = reader.plainWhole()
            return revision != nil
        case "pushEnabled":
            saysPushEnabled = true
            return reader.skipPlainFlag()
        case "osPushEnabled":
            return reader.skipPlainFlag()
        case "pushProvider":
            return PushProvider(rawValue: try reader.string()) != nil
        case "pushEnvironment":
            return PushEnvironment(rawValue: try reader.string()) != nil
        case "contactKey", "pushToken", "timeZone", "locale", "platform", "osVersion", "appVersion", "sdkVersion",
            "deviceModel", "lastOpenedAt":
            return reader.skipPlainString()
        case "attributes":
            return reader.plainObject(maximumMembers: Self.maximumAttributes) != nil
        case "tags":
            var count = 0
            try reader.list { reader throws(JSONError) in
                count += 1
                guard count <= Self.maximumTags, reader.skipPlainString() else { throw Self.notPlain }
            }
        default:
            return false
        }
        return true
    }
}
