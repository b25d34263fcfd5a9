/// What a device is to fetch when a silent push wakes it: reasons that come together share one push (PUSH-7).
public struct SilentPushReasons: OptionSet, Hashable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// In-app messages were published, changed or recalled (IAM-2).
    public static let inApp = SilentPushReasons(rawValue: 1)
    public static let messageCenter = SilentPushReasons(rawValue: 2)
}
